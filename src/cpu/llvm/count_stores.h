// Makes emitted code count the bytes that it stores, so that a test can see whether an update in place is one.
//   Counts what the code does, whatever its emitter claims. Routines outside of the module are not counted.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace stead::cpu {

// The counter: a 64-bit integer in the memory of the code.
inline constexpr char kStoredBytesSymbol[] = "stored_bytes";

void CountStores(llvm::Module& module);

}  // namespace stead::cpu
