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


def test_operations_between_devices_are_named():
    for operation, call in [
        ("all_reduce", "lax.psum(x, 'i')"),
        ("all_gather", "lax.all_gather(x, 'i')"),
        ("collective_permute", "lax.ppermute(x, 'i', [(0, 1)])"),
        ("all_to_all", "lax.all_to_all(x, 'i', 0, 0)"),
        ("reduce_scatter", "lax.psum_scatter(x, 'i')"),
    ]:
        status, _, complaints = run_jax(
            f"{START}\njax.pmap(lambda x: {call}, 'i')(np.ones((4, 4)))", JAX_PLATFORMS="stead,cpu", JAX_NUM_CPU_DEVICES="4"
        )
        assert status == 1
        assert f"UNIMPLEMENTED: op `{operation}` between several devices is not supported" in complaints


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
