// What all custom calls of one run have in common. Free of the foreign header.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>

namespace stead::ffi {

class CustomCall;

// An object that the caller of a program hands to its custom calls, found by the type's id.
struct UserData {
  int64_t type_id = 0;
  void* object = nullptr;
};

// Lives as long as one run, on one thread.
class Execution {
 public:
  explicit Execution(std::span<const UserData> user_data);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

 private:
  friend class CustomCall;
  // The objects that a call's stages `prepare` and `initialize` made in this run.
  struct CallStates;
  std::span<const UserData> user_data_;
  int64_t run_id_;
  std::map<const CustomCall*, std::unique_ptr<CallStates>> states_;
};

}  // namespace stead::ffi
