"""Protocol buffers survive the way through Stead: jaxlib writes them, we read and write them, jaxlib reads the same module.

The modules are those of the round trips of HLO text (test_text_round_trip.py), the programs of the golden files, recorded protos of
torch_xla, and what lies beside the repository in shared/ when it is there.
"""

import re
import subprocess

import jax
import pytest
from hlo_text import normal_form
from jaxlib import _hlo
from stead_tool import REPOSITORY, STEAD
from test_text_round_trip import FUNCTIONS, STORED

from golden import read_golden

SHARED = REPOSITORY.parent / "shared"
SHARED_TEXTS = sorted([*SHARED.glob("programs/*.hlo"), *SHARED.glob("corpus/**/*.hlo")])
# What torch_xla sent.
RECORDED = sorted((REPOSITORY / "tests" / "data").rglob("*.pb"))
# Those of frontend/ are about texts that are refused.
GOLDEN_PROGRAMS = {
    f"{path.relative_to(REPOSITORY / 'tests' / 'golden')}-{number}": program.text
    for path in sorted((REPOSITORY / "tests" / "golden").rglob("*.hlo"))
    for number, program in enumerate(read_golden(path).programs)
    if path.parent.name != "frontend"
}
# jaxlib writes them and does not read what it wrote: a send-done must follow its send directly, a recv-done its recv.
UNREADABLE = re.compile(r"facts/asynchronous/08[345]_")
# jaxlib's short form of asynchronous ops forgets in which order the wrapped computation takes its operands.
NO_FAITHFUL_TEXT = re.compile(r"facts/asynchronous/08[012]_")


def convert(data, *arguments):
    process = subprocess.run([STEAD, "convert", "-", *arguments], input=data, capture_output=True, timeout=120, check=False)
    assert process.returncode == 0, process.stderr.decode()
    return process.stdout


def printed(proto):
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    return _hlo.HloModule.from_serialized_hlo_module_proto(proto).to_string(options)


def assert_proto_survives(proto):
    assert normal_form(printed(convert(proto, "--to", "proto"))) == normal_form(printed(proto))


def assert_text_is_equal(proto):
    """Our own texts, whichever form the module came in."""
    assert normal_form(convert(proto).decode()) == normal_form(convert(printed(proto).encode()).decode())


def assert_survives(proto):
    assert_proto_survives(proto)
    assert_text_is_equal(proto)


def proto_of(text):
    return _hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_stored_program_survives(path):
    assert_survives(proto_of(path.read_text()))


@pytest.mark.parametrize("name", [name for name in GOLDEN_PROGRAMS if not UNREADABLE.match(name)])
def test_golden_program_survives(name):
    # jaxlib does not take every name that we take.
    text = convert(GOLDEN_PROGRAMS[name].encode()).decode()
    proto = proto_of(re.sub(r"%token\b", "token_", text))
    assert_proto_survives(proto)
    if not NO_FAITHFUL_TEXT.match(name):
        assert_text_is_equal(proto)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded_module_survives(path):
    proto = path.read_bytes()
    assert_proto_survives(proto)
    # jaxlib prints instructions in an order of its own, which what it writes has too.
    assert_text_is_equal(_hlo.HloModule.from_serialized_hlo_module_proto(proto).as_serialized_hlo_module_proto())


@pytest.mark.parametrize("path", SHARED_TEXTS, ids=lambda path: path.stem)
def test_shared_program_survives(path):
    assert_survives(proto_of(path.read_text()))


def test_shared_programs_are_there():
    if not SHARED_TEXTS:
        pytest.skip("shared/ does not lie beside the repository")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_dumped_module_survives(name, cpu_device):
    function, arguments, *donated = FUNCTIONS[name]
    with jax.default_device(cpu_device):
        lowered = jax.jit(function, donate_argnums=donated[0] if donated else ()).lower(*arguments)
    compiled = lowered.compile().runtime_executable().hlo_modules()
    for module in [lowered.compiler_ir("hlo"), *compiled]:
        assert_survives(module.as_serialized_hlo_module_proto())


# Fields that none of the programs above has.
RARE_INSTRUCTIONS = {
    "tiles of devices": "f32[4] negate(x), sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
    "kinds of the last tiles": "f32[4] negate(x), sharding={devices=[2,1,2]<=[4] last_tile_dims={manual}}",
    "listed devices": "f32[4] negate(x), sharding={devices=[4]0,1,2,3}",
    "shard group": "f32[4] negate(x), sharding={devices=[4]<=[4] shard_like 3}",
    "tuple of shardings": "(f32[4], f32[4]) tuple(x, x), sharding={{replicated shard_as 1}, {maximal device=0}}",
    "kinds of sharding": "(f32[4], f32[4], f32[4]) tuple(x, x, x), sharding={{manual}, {unknown}, {unreduced}}",
    "sharding by axes": "f32[4] negate(x), sharding={mesh['a'=2,'b'=4,'c'=2], [{'a', 'c', ?}], replicated={'b':(1)2}}",
    "sharding of a listed mesh": "f32[4] negate(x), sharding={mesh['a'=2,'b'=2], device_ids=(3,2,1,0), [{'a'}], manual={'b'}}",
    "groups by axes": "f32[4] all-reduce(x), replica_groups=mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'a','b':(1)2}, to_apply=sum",
    "statistics": "f32[4] negate(x), statistics={visualizing_index=1,a=1.5,b=2}",
    "accuracy": 'f32[4] exponential(x), sharding={replicated}, result_accuracy={mode=highest}, frontend_attributes={a="b",c={"k":1}}',
    "tolerance": "f32[4] exponential(x), result_accuracy={tolerance={atol=1e-05,rtol=0,ulps=3}}",
    "metadata": 'f32[4] negate(x), metadata={op_type="t" op_name="n" source_file="f" source_line=3 source_end_line=4 source_column=5 '
    'source_end_column=6 profile_type={1} deduplicated_name="d" scheduling_name="s"}',
    "call of a composite": 'f32[4] call(x), to_apply=f, is_composite=true, frontend_attributes={composite.name="f"}',
    "constrained sum": "f32[4] all-reduce(x), channel_id=3, replica_groups={{0},{1}}, constrain_layout=true, to_apply=sum",
    "gathering": "f32[8] all-gather(x), channel_id=3, replica_groups=[2,2]<=[4], dimensions={0}, use_global_device_ids=true",
    "scattering": "f32[2] reduce-scatter(x), channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, dimensions={0}, to_apply=sum",
    "exchange": "f32[4] all-to-all(x), dimensions={0}, replica_groups={{0,1},{2,3}}",
    "permutation": "f32[4] collective-permute(x), source_target_pairs={{0,1},{1,0}}",
    "one group": "f32[4] collective-broadcast(x), replica_groups={}",
    "infeed": '((f32[4]), token[]) infeed(y), infeed_config="a\\nb"',
    "outfeed": 'token[] outfeed(x, y), outfeed_shape=f32[4]{0}, outfeed_config="ab"',
    "send": "(f32[4], u32[], token[]) send(x, y), channel_id=2, is_host_transfer=true",
    "prefetch": "(f32[4], f32[4], u32[]) copy-start(x), cross_program_prefetch_index=0",
    "batch norm": "f32[4] batch-norm-inference(x, x, x, x, x), epsilon=0.001, feature_index=0",
    "fusion in place": "f32[4] fusion(x), kind=kLoop, calls=f, output_to_operand_aliasing={{}: (0, {})}",
    "thread": '((f32[4]), f32[4], u32[]) async-start(x), calls=async_wrapped, async_execution_thread="th"',
    "domain": 'f32[4] domain(x), domain={kind="sharding", entry={maximal device=0}, exit={maximal device=1}}',
    "random state": "u64[1] rng-get-and-update-state(), delta=4096",
    "largest": "(f32[2], s32[2]) topk(x), k=2, largest=true",
    "dynamic size": "f32[<=4] set-dimension-size(x, n), dimensions={0}",
    "precisions": "f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}, operand_precision={highest,default}, "
    "algorithm=dot_tf32_tf32_f32",
    "scan": "(f32[4]) scan(x, zero), dimensions={0}, num_carries=1, is_reverse=true, is_associative=true, to_apply=step",
    "call with everything": 'f32[4] custom-call(x), custom_call_target="t", window={size=3}, dim_labels=b0f_0io->b0f, operand_precision={high}, padding_type=PADDING_SAME, '
    "feature_group_count=2, batch_group_count=3, custom_call_has_side_effect=true, output_to_operand_aliasing={{}: (0, {})}, "
    'operand_layout_constraints={f32[4]{0}}, schedule=SCHEDULE_EARLIEST, api_version=API_VERSION_STATUS_RETURNING, backend_config="x"',
    "permutation of slices": "f32[4] collective-permute(x, x, i, i), source_target_pairs={{0,1}}, slice_sizes={{2}}",
    "layout": "f32[4]{0:T(2)(1)L(4)E(32)S(3)SC(0:2)} copy(x)",
}
CALLED = {
    "f": "f {\n  p = f32[4] parameter(0)\n  ROOT t = f32[4] negate(p)\n}",
    "async_wrapped": "async_wrapped {\n  async_param = f32[4] parameter(0)\n  ROOT negate = f32[4] negate(async_param)\n}, "
    'execution_thread="th"',
    "sum": "sum {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  ROOT t = f32[] add(p, q)\n}",
    "step": "step {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  s = f32[] add(p, q)\n  ROOT t = (f32[], f32[]) tuple(s, s)\n}",
}


def module_of(instruction):
    called = "".join(f"{CALLED[name]}\n\n" for name in re.findall(r"(?:to_apply|calls)=(\w+)", instruction))
    parameters = "  x = f32[4] parameter(0)\n  n = s32[] parameter(1)\n  zero = f32[] constant(0)\n  y = token[] after-all()\n  i = (s32[]) tuple(n)\n"
    return f"HloModule rare\n\n{called}ENTRY main {{\n{parameters}  ROOT r = {instruction}\n}}\n"


@pytest.mark.parametrize("name", RARE_INSTRUCTIONS)
def test_rare_field_survives(name):
    assert_survives(proto_of(module_of(RARE_INSTRUCTIONS[name])))


LITERALS = {
    "s2[3]": "{1, -2, 0}",
    "u2[5]": "{1, 2, 3, 0, 1}",
    "s4[3]": "{1, -8, 7}",
    "u4[3]": "{1, 15, 7}",
    "f4e2m1fn[3]": "{1, -1.5, 0}",
    "s8[2]": "{1, -2}",
    "u8[2]": "{1, 255}",
    "s16[2]": "{-1, 2}",
    "u16[2]": "{1, 65535}",
    "s32[2]": "{-1, 2}",
    "u32[2]": "{1, 4294967295}",
    "s64[2]": "{-1, 9223372036854775807}",
    "u64[2]": "{1, 18446744073709551615}",
    "pred[2]": "{1, 0}",
    "f16[3]": "{1, -inf, nan}",
    "bf16[2]": "{1, 3e38}",
    "f32[2,3]{0,1}": "{{1, 2, 3}, {4, 5, -0.0}}",
    "f64[2]": "{0.1, 1e308}",
    "c64[1]": "{(1, 2)}",
    "c128[1]": "{(1, 2)}",
    "f32[0]": "{}",
    "f8e5m2[2]": "{1, 2}",
    "f8e4m3[2]": "{1, 2}",
    "f8e4m3fn[2]": "{1, 448}",
    "f8e4m3b11fnuz[2]": "{1, 2}",
    "f8e5m2fnuz[2]": "{1, 2}",
    "f8e4m3fnuz[2]": "{1, 2}",
    "f8e3m4[2]": "{1, 2}",
    "f8e8m0fnu[2]": "{1, 2}",
    "s4[2,2]{0,1}": "{{1, -2}, {3, -4}}",
    "(s32[], (f32[2]{0}, bf16[]))": "(1, ({1, 2}, 3))",
}


@pytest.mark.parametrize("shape", LITERALS)
def test_literal_survives(shape):
    assert_survives(proto_of(f"HloModule m\n\nENTRY main {{\n  ROOT r = {shape} constant({LITERALS[shape]})\n}}\n"))


def test_there_are_enough_modules():
    modules = len(STORED) + len(RECORDED) + len(GOLDEN_PROGRAMS) + 2 * len(FUNCTIONS) + len(RARE_INSTRUCTIONS) + len(LITERALS)
    assert modules >= 300
