// Turns LLVM modules made by our emitters into machine code in this process. The only door to LLVM's code generator.
//   In: a JitModule filled through llvm::IRBuilder.  Out: MachineCode, which owns the loaded code and gives function addresses.
//   The emitters write vector code themselves, so only cheap clean-up passes run here (no loop vectoriser, no O3 pipeline).
//   Callable from any thread. This header is free of LLVM headers on purpose: they cost seconds per translation unit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace llvm {
class LLVMContext;
class Module;
}  // namespace llvm

namespace stead::cpu {

// Receives the text of one stage of a compile: "ir" as emitted, "optimized-ir", "assembly".
using DumpSink = std::function<void(std::string_view stage, std::string_view text)>;

// An LLVM module under construction together with the context that owns its types.
class JitModule {
 public:
  explicit JitModule(const std::string& name);
  ~JitModule();
  JitModule(JitModule&&) noexcept;
  JitModule& operator=(JitModule&&) noexcept;

  llvm::LLVMContext& context();
  llvm::Module& ir();

 private:
  friend class MachineCode;
  struct State;
  std::unique_ptr<State> state_;
};

// Loaded code of one module. Function addresses are valid as long as this object lives.
class MachineCode {
 public:
  // Compiles every function of `module` for the CPU this process runs on. `dump` may be empty.
  // RETURNS error when LLVM refuses the module (kInternal) or memory for code cannot be had (kResourceExhausted).
  static Result<MachineCode> Compile(JitModule module, const DumpSink& dump = {});

  ~MachineCode();
  MachineCode(MachineCode&&) noexcept;
  MachineCode& operator=(MachineCode&&) noexcept;

  // The address of a function that the module defined.
  // RETURNS error (kInternal) for any other name.
  Result<void*> Find(std::string_view function) const;
  // Size of the object file the code was linked from.
  int64_t bytes() const;

 private:
  struct Loaded;
  explicit MachineCode(std::unique_ptr<Loaded> loaded);
  std::unique_ptr<Loaded> loaded_;
};

// Bytes in the vector registers that kernels should use on this CPU: 64, 32 or 16.
int64_t NativeVectorBytes();

// Makes later compiles of this thread use only what the named CPU has ("haswell", "x86-64-v2"; empty: the real one), so that
// tests can run the code that other machines get. REQUIRES: the real CPU can run it.
void UseCpuForTesting(const std::string& name);

}  // namespace stead::cpu
