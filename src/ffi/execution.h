// What all custom calls of one run have in common. Free of the foreign header.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

namespace stead::ffi {

class CustomCall;

// Objects that the caller of a program hands to its custom calls, by the ids of their types.
using UserData = std::map<int64_t, void*>;

// Lives as long as one run, on one thread.
class Execution {
 public:
  // `user_data` outlives the execution; null: there is none.
  explicit Execution(const UserData* user_data);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

 private:
  friend class CustomCall;
  // The objects that a call's stages `prepare` and `initialize` made in this run.
  struct CallStates;
  const UserData* user_data_;
  int64_t run_id_;
  std::map<const CustomCall*, std::unique_ptr<CallStates>> states_;
};

}  // namespace stead::ffi
