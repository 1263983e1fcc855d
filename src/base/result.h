// Result<T>: a value or the diagnostic that says why there is none. (std::expected is C++23.)
//   Input or environment wrong -> Result. Our own bug -> STEAD_CHECK. Never both for one condition.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/diagnostic.h"

namespace stead {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Diagnostic diagnostic) : state_(std::in_place_index<1>, std::move(diagnostic)) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  // REQUIRES: ok().
  T& value() & { return Checked(), std::get<0>(state_); }
  const T& value() const& { return Checked(), std::get<0>(state_); }
  T&& value() && { return Checked(), std::get<0>(std::move(state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  // REQUIRES: !ok().
  const Diagnostic& error() const {
    STEAD_CHECK(!ok(), "error() of a Result that holds a value");
    return std::get<1>(state_);
  }

 private:
  void Checked() const { STEAD_CHECK(ok(), ok() ? "" : std::get<1>(state_).ToString()); }
  std::variant<T, Diagnostic> state_;
};

// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Diagnostic diagnostic) : diagnostic_(std::move(diagnostic)) {}  // NOLINT
  bool ok() const { return !diagnostic_.has_value(); }
  // REQUIRES: !ok().
  const Diagnostic& error() const {
    STEAD_CHECK(!ok(), "error() of a Result that holds a value");
    return *diagnostic_;
  }

 private:
  std::optional<Diagnostic> diagnostic_;
};

using Status = Result<void>;

}  // namespace stead

#define STEAD_CONCAT_INNER(a, b) a##b
#define STEAD_CONCAT(a, b) STEAD_CONCAT_INNER(a, b)

// TRY(declaration, expression): declares and sets a variable from a Result, or returns its diagnostic.
//   TRY(Module module, ParseHloText(text));
#define TRY(declaration, ...)                                                                        \
  auto STEAD_CONCAT(try_result_, __LINE__) = (__VA_ARGS__);                                          \
  if (!STEAD_CONCAT(try_result_, __LINE__).ok()) return STEAD_CONCAT(try_result_, __LINE__).error(); \
  declaration = std::move(STEAD_CONCAT(try_result_, __LINE__)).value()

// TRY_STATUS(expression): returns the diagnostic of a failed Status.
#define TRY_STATUS(...)                                                               \
  do {                                                                                \
    if (auto try_status = (__VA_ARGS__); !try_status.ok()) return try_status.error(); \
  } while (false)
