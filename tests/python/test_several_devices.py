"""Several virtual devices: how many there are, what lies where, copies between them, and programs that run on their parts.

The number of devices is decided once per process, so each test runs a program in one of its own.
"""

import pypjrt
import pytest
from jax_process import output_of, run_jax
from pypjrt import errors

import stead

START = """
import jax, jax.experimental, jax.numpy as jnp, numpy as np
from functools import partial
from jax import lax
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
devices = jax.devices()
assert devices[0].client.platform_version.split()[-2] == "stead"
mesh = jax.make_mesh((2, 2), ("rows", "columns"), axis_types=(AxisType.Auto,) * 2)
on = lambda *axes: NamedSharding(mesh, P(*axes))
matrix = np.arange(48, dtype=np.float32).reshape(6, 8)
def parts(array):
    return {shard.device.id: np.asarray(shard.data).tolist() for shard in array.addressable_shards}
"""


def run(program, **environment):
    return output_of(START + program, JAX_PLATFORMS="stead,cpu", **({"JAX_NUM_CPU_DEVICES": "4"} | environment)).split("\n")


COUNT = "import jax; print(len(jax.devices()), [d.id for d in jax.devices()], len({m for d in jax.devices() for m in d.addressable_memories()}))"


@pytest.mark.parametrize(
    "environment",
    [
        {"JAX_NUM_CPU_DEVICES": "3"},
        {"XLA_FLAGS": "--xla_dump_max_hlo_modules=1 --xla_force_host_platform_device_count=3"},
        {"JAX_NUM_CPU_DEVICES": "3", "XLA_FLAGS": "--xla_force_host_platform_device_count=5"},
        {
            "JAX_PLATFORMS": "cpu",
            "PJRT_NAMES_AND_LIBRARY_PATHS": f"cpu:{stead.library_path()}",
            "JAX_PJRT_CLIENT_CREATE_OPTIONS": "num_devices:3",
        },
    ],
)
def test_number_of_devices_is_said_as_for_other_cpu_backends(environment):
    assert output_of(COUNT, **({"JAX_PLATFORMS": "stead,cpu"} | environment)) == "3 [0, 1, 2] 9"


@pytest.mark.parametrize("count", [0, -1, 1 << 40, "many", 2.5])
def test_numbers_of_devices_that_are_none_are_refused(count):
    with pytest.raises(errors.InvalidArgument, match="devices"):
        pypjrt.Client(pypjrt.Plugin(stead.library_path()), options={"num_devices": count})


def test_arrays_are_placed_copied_and_put_together_again():
    output = run("""
x = jax.device_put(matrix, devices[2])
y = jax.device_put(x, devices[1])
print(x.device.id, y.device.id, (np.asarray(y) == matrix).all(), x.unsafe_buffer_pointer() != y.unsafe_buffer_pointer())
tiles = jax.device_put(y, on("rows", "columns"))
print(parts(tiles)[3], parts(tiles)[1][0])
again = jax.device_put(tiles, on("columns"))
print(parts(again)[1] == parts(again)[3] == matrix[3:].tolist(), (np.asarray(again) == matrix).all())
host = jax.device_put(x, NamedSharding(mesh, P(), memory_kind="pinned_host"))
print(host.sharding.memory_kind, (np.asarray(host) == matrix).all(), jax.device_put(host, on("rows")).sharding.memory_kind)
""")
    assert output == [
        "2 1 True True",
        "[[28.0, 29.0, 30.0, 31.0], [36.0, 37.0, 38.0, 39.0], [44.0, 45.0, 46.0, 47.0]] [4.0, 5.0, 6.0, 7.0]",
        "True True",
        "pinned_host True device",
    ]


def test_program_for_one_device_runs_where_its_arguments_are():
    output = run("""
update = jax.jit(lambda x: x.at[0].add(1), donate_argnums=0)
x = jax.device_put(jnp.zeros(4), devices[3])
pointer = x.unsafe_buffer_pointer()
y = update(x)
print(y.device.id, y.unsafe_buffer_pointer() == pointer, x.is_deleted(), y.tolist())
""")
    assert output == ["3 True True [1.0, 0.0, 0.0, 0.0]"]


def test_sharded_programs_equal_numpy():
    output = run("""
x = jax.device_put(matrix, on("rows", "columns"))
@partial(jax.jit, out_shardings=(on("columns"), on(None, "rows"), on()))
def program(x):
    return x @ x.T, jnp.sort(x, axis=0)[::-1], x.sum()
product, turned, total = program(x)
print((np.asarray(product) == matrix @ matrix.T).all(), (np.asarray(turned) == matrix[::-1]).all(), total.item() == matrix.sum())
print(product.sharding.spec, turned.sharding.spec, [len(part) for part in parts(product).values()], len(parts(total)))
halved = jax.jit(lambda x: x / 2, donate_argnums=0, out_shardings=on("rows", "columns"))(x)
print(x.is_deleted(), (np.asarray(halved) == matrix / 2).all())
""")
    assert output == [
        "True True True",
        "P('columns',) P(None, 'rows') [3, 3, 3, 3] 4",
        "True True",
    ]


def test_each_device_runs_the_body_on_its_part():
    output = run("""
@partial(jax.shard_map, mesh=mesh, in_specs=(P("rows", "columns"), P()), out_specs=P("columns", "rows"))
def body(part, step):
    place = 10 * lax.axis_index("rows") + lax.axis_index("columns")
    grown = lax.fori_loop(0, 3, lambda _, value: value + step, part)
    return (grown + 100 * jax.jit(lambda p: p)(place)).T
result = jax.jit(body, out_shardings=on("columns", "rows"))(matrix, np.float32(2))
wanted = np.block([[matrix[3 * r : 3 * r + 3, 4 * c : 4 * c + 4] + 6 + 100 * (10 * r + c) for c in range(2)] for r in range(2)]).T
print((np.asarray(result) == wanted).all(), result.sharding.spec)
doubled = jax.pmap(lambda row, scale: row * scale, in_axes=(0, None))(matrix[:4], 2)
print((np.asarray(doubled) == 2 * matrix[:4]).all(), sorted(parts(doubled)), parts(doubled)[2] == [(2 * matrix[2]).tolist()])
""")
    assert output == ["True P('columns', 'rows')", "True [0, 1, 2, 3] True"]


def test_results_lie_as_what_they_are_made_from():
    output = run("""
x = jax.device_put(matrix, on("rows", "columns"))
def where(function, *arguments):
    result = jax.jit(function)(*arguments)
    assert (np.asarray(result) == np.asarray(function(*map(np.asarray, arguments)))).all()
    return result.sharding.spec
print(where(lambda x: x * 2 + 1, x), where(lambda x: x.T, x), where(lambda x: x.sum(0), x), where(lambda x: x.sum(), x))
print(where(lambda x: x[:, 1], x), where(lambda x: x.reshape(6, 2, 4), x), where(lambda x: x[None], x), where(lambda x: x[:, ::3], x), where(lambda x: x[np.array([4, 1, 1])], x))
rows, columns = jax.device_put(matrix, on("rows")), jax.device_put(matrix.T, on(None, "columns"))
print(where(lambda a, b: a @ b, rows, columns), where(lambda a, b: a + b.T, rows, columns), where(lambda a: jax.jit(jnp.negative)(a), rows))
print(where(lambda a: lax.with_sharding_constraint(a * 1, on(None, "rows")) if isinstance(a, jax.Array) else a, rows))
""")
    assert output == [
        "P('rows', 'columns') P('columns', 'rows') P('columns',) P()",
        "P('rows',) P('rows',) P(None, 'rows', 'columns') P('rows',) P(None, 'columns')",
        "P('rows', 'columns') P('rows',) P('rows',)",
        "P(None, 'rows')",
    ]


def test_callbacks_run_once_per_device():
    output = run("""
seen = []
@partial(jax.shard_map, mesh=mesh, in_specs=P("rows"), out_specs=P())
def tell(part):
    jax.debug.callback(lambda place, part: seen.append((place.item(), part.shape)), lax.axis_index("columns"), part)
jax.jit(tell)(matrix)
jax.effects_barrier()
print(sorted(seen))
order = []
@jax.jit
def say(x):
    double = lambda v: order.append(v.sum()) or 2 * v
    return jax.experimental.io_callback(double, jax.ShapeDtypeStruct(x.shape, x.dtype), x, ordered=True)
doubled = say(jax.device_put(matrix, on("rows")))
jax.effects_barrier()
print(order == [matrix.sum()], (np.asarray(doubled) == 2 * matrix).all())
""")
    assert output == ["[(0, (3, 8)), (0, (3, 8)), (1, (3, 8)), (1, (3, 8))]", "True True"]


def test_shardings_in_the_words_of_xla():
    output = run("""
jax.config.update("jax_use_shardy_partitioner", False)
x = jax.device_put(matrix, on("columns"))
program = jax.jit(lambda x: x * 2, out_shardings=on(None, ("columns", "rows")))
result = program(x)
print((np.asarray(result) == matrix * 2).all(), result.sharding.spec, parts(result)[1] == (2 * matrix[:, 4:6]).tolist())
""")
    assert output == ["True P(None, ('columns', 'rows')) True"]


# One program over four devices per name, run on Stead and on XLA:CPU.
EXCHANGES = {
    "sums": "lax.psum(x, 'i'), lax.pmax(x, 'i'), lax.pmin(x, 'i'), lax.pmean(x, 'i'), lax.psum(1, 'i')",
    "sums_of_several_arrays": "lax.psum((x, x.T, x.astype(jnp.int32)), 'i')",
    "sums_in_groups": "lax.psum(x, 'i', axis_index_groups=[[0, 2], [3, 1]])",
    "gathered": "lax.all_gather(x, 'i'), lax.all_gather(x, 'i', axis=1, tiled=True)",
    "handed_on": "lax.ppermute(x, 'i', [(0, 1), (1, 2), (3, 0)]), lax.pshuffle(x, 'i', [3, 0, 1, 2])",
    "all_to_all": "lax.all_to_all(x, 'i', 0, 1), lax.all_to_all(x, 'i', 1, 0, tiled=True)",
    "scattered_sums": "lax.psum_scatter(x, 'i'), lax.psum_scatter(x, 'i', scatter_dimension=1, tiled=True)",
    "places": "x + lax.axis_index('i'), lax.psum(lax.axis_index('i'), 'i')",
    "called": "jax.jit(lambda y: lax.psum(jax.jit(jnp.sin)(y), 'i'))(x) + jax.jit(lambda y: y * lax.axis_index('i'))(x)",
    "counted_loop": "lax.scan(lambda c, row: (lax.psum(c, 'i') * 0.1 + row, c.sum() + lax.axis_index('i')), x[0], x)",
    "loop_within_a_loop": "lax.fori_loop(0, 2, lambda k, y: lax.fori_loop(0, k + 1, lambda _, z: lax.pmax(z, 'i') + z, y), x)",
    "loop_until_all_agree": "lax.while_loop(lambda c: lax.pmax(c.sum(), 'i') < 90, lambda c: c + 1 + 0.1 * lax.axis_index('i'), x)",
    # The devices of a group agree with each other, and not with the other group.
    "loops_of_different_lengths": """lax.while_loop(
        lambda c: c[0] < 1 + lax.axis_index('i') // 2,
        lambda c: (c[0] + 1, lax.psum(c[1], 'i', axis_index_groups=[[0, 1], [2, 3]])), (0, x))""",
    "gradient": "jax.grad(lambda y: lax.psum(jnp.sin(y) * (1 + lax.axis_index('i')), 'i').sum())(x)",
    "branch_without_exchange": "lax.psum(lax.cond(lax.axis_index('i') > 1, jnp.sin, jnp.cos, x), 'i')",
}


def test_devices_exchange_their_parts():
    names = list(EXCHANGES)
    functions = ", ".join(f"lambda x: ({EXCHANGES[name]})" for name in names)
    output = run(f"""
x = np.arange(64, dtype=np.float32).reshape(4, 4, 4) / 16
for name, function in zip({names}, [{functions}]):
    actual, expected = (jax.tree.leaves(jax.pmap(function, "i", devices=jax.devices(platform))(x)) for platform in ("stead", "cpu"))
    for got, wanted in zip(actual, expected, strict=True):
        assert got.dtype == wanted.dtype, name
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-5, err_msg=name)
print("equal")
""")
    assert output == ["equal"]


def test_exchanges_along_one_of_two_axes():
    output = run("""
@partial(jax.shard_map, mesh=mesh, in_specs=P("rows", "columns"), out_specs=(P("rows"), P(None, "columns"), P()))
def body(part):
    return lax.psum(part, "columns"), lax.psum(part, "rows"), lax.psum(part, ("rows", "columns"))
blocks = matrix.reshape(2, 3, 2, 4)
across, down, both = jax.jit(body)(matrix)
print((np.asarray(across) == blocks.sum(2).reshape(6, 4)).all(), (np.asarray(down) == blocks.sum(0).reshape(3, 8)).all())
print((np.asarray(both) == blocks.sum((0, 2))).all())
@partial(jax.shard_map, mesh=mesh, in_specs=P(None, "columns"), out_specs=P(), axis_names={"columns"})
def partly(part):
    return lax.psum(part, "columns")
print((np.asarray(jax.jit(partly)(jax.device_put(matrix, on("rows", "columns")))) == matrix[:, :4] + matrix[:, 4:]).all())
""")
    assert output == ["True True", "True", "True"]


def test_exchanges_in_branches_are_named():
    program = "lax.cond(x.sum() > 2, lambda y: lax.psum(y, 'i'), lambda y: y, x)"
    status, _, complaints = run_jax(
        f"{START}\njax.pmap(lambda x: {program}, 'i')(np.ones((4, 4)))", JAX_PLATFORMS="stead,cpu", JAX_NUM_CPU_DEVICES="4"
    )
    assert status == 1
    assert "UNIMPLEMENTED: operations between devices inside of op `case`" in complaints


def test_saved_programs_keep_their_devices():
    output = run("""
from jax.experimental import serialize_executable
x = jax.device_put(matrix, on("rows"))
compiled = jax.jit(lambda x: x + 1, out_shardings=on(None, "columns")).lower(x).compile()
loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled), backend="stead")
result = loaded(x)
print((np.asarray(result) == matrix + 1).all(), result.sharding.spec, loaded.input_shardings[0][0].spec)
""")
    assert output == ["True P(None, 'columns') P('rows',)"]


def test_parts_that_lie_in_another_order():
    lines = run("""
from jax.experimental.layout import Format, Layout
columns_first = Format(Layout(major_to_minor=(1, 0)), on("rows", "columns"))
placed = jax.device_put(matrix, columns_first)
doubled = jax.jit(lambda x: x * 2, out_shardings=columns_first)(placed)
print(doubled.format.layout.major_to_minor, {shard.data.format.layout.major_to_minor for shard in doubled.addressable_shards})
print(parts(doubled) == parts(jax.device_put(matrix * 2, on("rows", "columns"))), (np.asarray(doubled) == matrix * 2).all())
""")
    assert lines[:2] == ["(1, 0) {(1, 0)}", "True True"]


def test_results_that_are_not_split():
    lines = run("""
numbers = np.arange(4, dtype=np.float32)
def both(x, seed):
    doubled, steps = lax.scan(lambda carry, _: (carry * 2, carry), seed, None, length=3)
    return x + doubled, steps, jax.random.uniform(jax.random.key(7), (2,)), jnp.linalg.cholesky(jnp.eye(2) * seed)
split, steps, uniform, root = jax.pmap(both, in_axes=(0, None), out_axes=(0, None, None, None))(numbers, np.float32(4))
print(split.tolist(), steps.tolist(), root.tolist())
print(np.array_equal(uniform, jax.random.uniform(jax.random.key(7), (2,))))
try:
    jax.pmap(lambda x: x * 2, out_axes=None)(numbers)
except jax.errors.JaxRuntimeError as error:
    print(str(error).splitlines()[0])
""")
    assert lines[:3] == [
        "[32.0, 33.0, 34.0, 35.0] [4.0, 8.0, 16.0] [[2.0, 0.0], [0.0, 2.0]]",
        "True",
        "UNIMPLEMENTED: a result of a manual computation that devices may not agree on",
    ]


def test_values_that_lie_alike():
    lines = run("""
from jax.experimental.shard_alike import shard_alike
rows = jax.device_put(matrix, on("rows"))
def alike(x):
    numbers = jnp.arange(48).reshape(6, 8)
    return shard_alike(numbers, x)[0] + 1
result = jax.jit(alike)(rows)
print(result.sharding.spec, (np.asarray(result) == np.arange(1, 49).reshape(6, 8)).all())
""")
    assert lines[0] == "P('rows',) True"


def test_callbacks_in_order_on_each_device():
    lines = run("""
from collections import defaultdict
from jax.experimental import io_callback
seen = defaultdict(list)
def tell(device, part):
    io_callback(lambda device, part: seen[int(device[0])].append(part.tolist()), None, device, part, ordered=True)
    io_callback(lambda device, part: seen[int(device[0])].append(part.tolist()), None, device, part + 1, ordered=True)
line = jax.make_mesh((4,), ("x",), axis_types=(AxisType.Auto,))
told = jax.shard_map(tell, mesh=line, in_specs=P("x"), out_specs=None)
jax.jit(told, in_shardings=NamedSharding(line, P("x")), out_shardings=None)(jnp.arange(4), jnp.arange(8))
jax.effects_barrier()
print(sorted(seen.items()))
""")
    assert lines[0] == "[(0, [[0, 1], [1, 2]]), (1, [[2, 3], [3, 4]]), (2, [[4, 5], [5, 6]]), (3, [[6, 7], [7, 8]])]"


def test_small_elements_are_packed_on_every_device():
    lines = run("""
small = (np.arange(36).reshape(6, 6) % 16 - 8).astype(jnp.int4)
split = jax.device_put(small, on("rows", "columns"))
doubled = jax.jit(lambda x: x + x)(split)
print(parts(doubled)[3], split.addressable_shards[0].data.on_device_size_in_bytes())
print(doubled.sharding == split.sharding, np.array_equal(np.asarray(doubled), small + small))
""")
    # Of 9 elements on each device, in five bytes; 4 + 4 is -8 in 4 bits.
    assert lines[:2] == ["[[-6, -4, -2], [6, -8, -6], [2, 4, 6]] 5", "True True"]
