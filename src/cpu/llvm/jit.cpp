// One ORC session for the process, one JITDylib per module, one TargetMachine per thread.
//   The session is never destroyed: code may still run in other threads while the process exits.
//   A TargetMachine is costly to warm up (about a millisecond of subtarget tables) and not safe to share between threads.
#include "cpu/llvm/jit.h"

#include <fmt/format.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "cpu/llvm/runtime_symbols.h"

namespace stead::cpu {
namespace {

Diagnostic JitError(std::string what) { return {ErrorCode::kInternal, std::move(what), {}, {}, {}}; }

// ---------------------------------------------------------------------------------------------------------------------
// The CPU we compile for.

struct HostTarget {
  const llvm::Target* target = nullptr;
  std::string triple;
  std::string cpu;
  std::string features;
  int64_t vector_bytes = 16;
};

// LLVM reports what it cannot compile by calling this and aborting if it returns. Nobody's process ends because of one program.
[[noreturn]] void OnFatalError(void*, const char* reason, bool) {
  throw InternalError(fmt::format("the code generator failed: {}", reason));
}

void InitializeLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(OnFatalError);
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

int64_t VectorBytes(const llvm::MCSubtargetInfo& cpu) {
  const auto has = [&](const char* feature) { return cpu.checkFeatures(feature); };
  if (has("+avx512f,+avx512bw,+avx512dq,+avx512vl")) return 64;
  return has("+avx2") ? 32 : 16;
}

HostTarget Describe(std::string cpu, std::string features) {
  InitializeLlvm();
  HostTarget host;
  host.triple = llvm::sys::getProcessTriple();
  host.cpu = std::move(cpu);
  host.features = std::move(features);
  std::string error;
  host.target = llvm::TargetRegistry::lookupTarget(host.triple, error);
  STEAD_CHECK(host.target != nullptr, error);
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      host.target->createMCSubtargetInfo(host.triple, host.cpu, host.features));
  host.vector_bytes = VectorBytes(*subtarget);
  return host;
}

HostTarget DetectHost() {
  std::string features;
  for (const llvm::StringMapEntry<bool>& feature : llvm::sys::getHostCPUFeatures()) {
    if (!features.empty()) features += ',';
    features += fmt::format("{}{}", feature.getValue() ? '+' : '-', feature.getKey().str());
  }
  return Describe(llvm::sys::getHostCPUName().str(), std::move(features));
}

// The CPU that tests ask for in this thread; none: the real one.
thread_local std::optional<HostTarget> chosen_for_testing;

const HostTarget& Host() {
  static const HostTarget host = DetectHost();
  return chosen_for_testing ? *chosen_for_testing : host;
}

std::unique_ptr<llvm::TargetMachine> MakeTargetMachine() {
  llvm::TargetOptions options;
  // No fusing of separate multiplications and additions: each op of the program rounds by itself.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(
      Host().target->createTargetMachine(Host().triple, Host().cpu, Host().features, options, llvm::Reloc::PIC_,
                                         llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, /*JIT=*/true));
}

thread_local std::unique_ptr<llvm::TargetMachine> thread_machine;

llvm::TargetMachine& ThreadTargetMachine() {
  if (thread_machine == nullptr) thread_machine = MakeTargetMachine();
  STEAD_CHECK(thread_machine != nullptr, "no code generator for this CPU");
  return *thread_machine;
}

// ---------------------------------------------------------------------------------------------------------------------
// The linker session.

class Session {
 public:
  static Session& Get() {
    static Session* session = new Session();
    return *session;
  }

  // Links an object file into a fresh dylib that sees the runtime symbols.
  llvm::Expected<llvm::orc::JITDylib*> Load(std::unique_ptr<llvm::MemoryBuffer> object) {
    llvm::orc::JITDylib& dylib = session_.createBareJITDylib(fmt::format("kernel{}", next_dylib_++));
    dylib.addToLinkOrder(*runtime_);
    if (llvm::Error error = layer_.add(dylib, std::move(object))) {
      llvm::consumeError(session_.removeJITDylib(dylib));
      return error;
    }
    return &dylib;
  }

  void Unload(llvm::orc::JITDylib& dylib) { llvm::consumeError(session_.removeJITDylib(dylib)); }

  llvm::Expected<void*> Find(llvm::orc::JITDylib& dylib, llvm::StringRef name) {
    llvm::Expected<llvm::orc::ExecutorSymbolDef> symbol =
        session_.lookup(llvm::orc::makeJITDylibSearchOrder(&dylib), session_.intern(name));
    if (!symbol) return symbol.takeError();
    return symbol->getAddress().toPtr<void*>();
  }

 private:
  Session()
      : memory_(llvm::cantFail(llvm::jitlink::InProcessMemoryManager::Create())),
        session_(std::make_unique<llvm::orc::UnsupportedExecutorProcessControl>(nullptr, nullptr, Host().triple)),
        layer_(session_, *memory_) {
    // Failures come back through lookup(); the reporter would print them a second time.
    session_.setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });
    runtime_ = &session_.createBareJITDylib("runtime");
    llvm::orc::SymbolMap symbols;
    for (const RuntimeSymbol& symbol : RuntimeSymbols()) {
      symbols[session_.intern(symbol.name)] = {llvm::orc::ExecutorAddr::fromPtr(symbol.address),
                                               llvm::JITSymbolFlags::Exported};
    }
    llvm::cantFail(runtime_->define(llvm::orc::absoluteSymbols(std::move(symbols))));
  }

  std::unique_ptr<llvm::jitlink::InProcessMemoryManager> memory_;
  llvm::orc::ExecutionSession session_;
  llvm::orc::ObjectLinkingLayer layer_;
  llvm::orc::JITDylib* runtime_ = nullptr;
  std::atomic<uint64_t> next_dylib_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------------
// One module through the code generator.

std::string Print(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

// Every function is compiled for the host with its widest vectors; kernels never throw, so no unwind tables are needed.
void SetFunctionAttributes(llvm::Module& module) {
  const std::string vector_bits = std::to_string(Host().vector_bytes * 8);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", Host().cpu);
    function.addFnAttr("target-features", Host().features);
    function.addFnAttr("prefer-vector-width", vector_bits);
    function.addFnAttr("min-legal-vector-width", vector_bits);
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

// Puts accumulators into registers and removes what the emitters repeat (addresses, constants, loads); everything larger they
// avoid themselves.
void CleanUp(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::PassBuilder builder(&machine);
  llvm::FunctionAnalysisManager function_analyses;
  llvm::LoopAnalysisManager loop_analyses;
  llvm::CGSCCAnalysisManager call_graph_analyses;
  llvm::ModuleAnalysisManager module_analyses;
  builder.registerModuleAnalyses(module_analyses);
  builder.registerCGSCCAnalyses(call_graph_analyses);
  builder.registerFunctionAnalyses(function_analyses);
  builder.registerLoopAnalyses(loop_analyses);
  builder.crossRegisterProxies(loop_analyses, function_analyses, call_graph_analyses, module_analyses);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, function_analyses);
  }
}

Result<llvm::SmallVector<char, 0>> EmitObject(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  llvm::MCContext* context = nullptr;
  if (machine.addPassesToEmitMC(passes, context, stream)) {
    return JitError("the code generator cannot write object files");
  }
  passes.run(module);
  return object;
}

// EmitObject for code that the generator may give up on.
Result<llvm::SmallVector<char, 0>> TryEmitObject(llvm::Module& module, llvm::TargetMachine& machine) {
  try {
    return EmitObject(module, machine);
  } catch (const InternalError& error) {
    // The generator stopped half way. It is not used again, nor torn down; the next compile of this thread gets a new one.
    (void)thread_machine.release();
    return JitError(error.what());
  }
}

std::string EmitAssembly(const llvm::Module& module, llvm::TargetMachine& machine) {
  const std::unique_ptr<llvm::Module> clone = llvm::CloneModule(module);
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) return "";
  passes.run(*clone);
  return std::string(text.data(), text.size());
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------

struct JitModule::State {
  explicit State(const std::string& name) : module(name, context) {
    module.setTargetTriple(Host().triple);
    module.setDataLayout(ThreadTargetMachine().createDataLayout());
  }
  llvm::LLVMContext context;
  llvm::Module module;
};

JitModule::JitModule(const std::string& name) : state_(std::make_unique<State>(name)) {}
JitModule::~JitModule() = default;
JitModule::JitModule(JitModule&&) noexcept = default;
JitModule& JitModule::operator=(JitModule&&) noexcept = default;
llvm::LLVMContext& JitModule::context() { return state_->context; }
llvm::Module& JitModule::ir() { return state_->module; }

struct MachineCode::Loaded {
  Loaded(llvm::orc::JITDylib& dylib, int64_t bytes) : dylib(dylib), bytes(bytes) {}
  ~Loaded() { Session::Get().Unload(dylib); }
  llvm::orc::JITDylib& dylib;
  int64_t bytes;
};

MachineCode::MachineCode(std::unique_ptr<Loaded> loaded) : loaded_(std::move(loaded)) {}
MachineCode::~MachineCode() = default;
MachineCode::MachineCode(MachineCode&&) noexcept = default;
MachineCode& MachineCode::operator=(MachineCode&&) noexcept = default;

Result<MachineCode> MachineCode::Compile(JitModule module, const DumpSink& dump) {
  llvm::Module& ir = module.ir();
  llvm::TargetMachine& machine = ThreadTargetMachine();
  SetFunctionAttributes(ir);
  if (dump) dump("ir", Print(ir));
  std::string fault;
  llvm::raw_string_ostream fault_stream(fault);
  if (llvm::verifyModule(ir, &fault_stream)) return JitError(fmt::format("emitted code is malformed: {}", fault));
  CleanUp(ir, machine);
  if (dump) {
    dump("optimized-ir", Print(ir));
    dump("assembly", EmitAssembly(ir, machine));
  }
  TRY(const auto object, TryEmitObject(ir, machine));
  llvm::Expected<llvm::orc::JITDylib*> dylib = Session::Get().Load(
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()), ir.getName()));
  if (!dylib) return JitError(fmt::format("cannot link machine code: {}", llvm::toString(dylib.takeError())));
  return MachineCode(std::make_unique<Loaded>(**dylib, static_cast<int64_t>(object.size())));
}

Result<void*> MachineCode::Find(std::string_view function) const {
  llvm::Expected<void*> address =
      Session::Get().Find(loaded_->dylib, llvm::StringRef(function.data(), function.size()));
  if (!address)
    return JitError(
        fmt::format("machine code has no function `{}`: {}", function, llvm::toString(address.takeError())));
  return *address;
}

int64_t MachineCode::bytes() const { return loaded_->bytes; }

void UseCpuForTesting(const std::string& name) {
  chosen_for_testing.reset();
  if (!name.empty()) chosen_for_testing = Describe(name, "");
  thread_machine.reset();
}

int64_t NativeVectorBytes() { return Host().vector_bytes; }

}  // namespace stead::cpu
