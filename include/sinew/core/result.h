// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace sinew {

/// Kind of failure. The number is the exit code of the command line.
enum class ErrorCode {
  kBug = 1,          ///< an internal error of sinew
  kUsage = 2,        ///< invalid arguments or options
  kBadInput = 3,     ///< an invalid file; the message names the location
  kImpossible = 4,   ///< valid data, but the operation is not possible with it
  kIo = 5,           ///< a missing file, an existing output, a full disk
  kLimit = 6,        ///< a limit that the user set
  kCancelled = 130,  ///< cancelled by the user
};

/// A message that a user can act on, and its kind.
struct Error {
  ErrorCode code = ErrorCode::kBug;
  std::string message;
  /// The invalid parameter, if any; the message begins with its name. Interfaces with other names for
  /// parameters (--mush-passes, mushPasses) replace it.
  std::string parameter = {};
};

inline Error usage_error(std::string message) {
  return {ErrorCode::kUsage, std::move(message)};
}
/// kUsage: parameter_error("influences", "is 0: give a number from 1 to 64").
inline Error parameter_error(std::string parameter, const std::string& fault) {
  std::string message = parameter + " " + fault;
  return {ErrorCode::kUsage, std::move(message), std::move(parameter)};
}
inline Error bad_input(std::string message) {
  return {ErrorCode::kBadInput, std::move(message)};
}
inline Error impossible(std::string message) {
  return {ErrorCode::kImpossible, std::move(message)};
}
inline Error io_error(std::string message) {
  return {ErrorCode::kIo, std::move(message)};
}
inline Error limit_error(std::string message) {
  return {ErrorCode::kLimit, std::move(message)};
}
inline Error cancelled() {
  return {ErrorCode::kCancelled, "cancelled"};
}

/// The same error with the name of a file: "biped.glb: ...".
inline Error in_file(const std::string& file, Error error) {
  if (error.code == ErrorCode::kCancelled) return error;
  error.message = file + ": " + error.message;
  return error;
}

/// A value or an error. Data errors are returned this way; programming errors are asserts. Dereference only
/// if ok(). A hand-written union: std::variant, instantiated for every returned type, took a tenth of the
/// time to compile the library.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : ok_(true) { ::new (static_cast<void*>(&value_)) T(std::move(value)); }
  Result(Error error) : ok_(false) { ::new (static_cast<void*>(&error_)) Error(std::move(error)); }
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : ok_(other.ok_) {
    if (ok_)
      ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
    else
      ::new (static_cast<void*>(&error_)) Error(std::move(other.error_));
  }
  Result& operator=(Result&& other) noexcept {
    static_assert(std::is_nothrow_move_constructible_v<T>, "a half-assigned result would hold neither");
    if (this != &other) {
      this->~Result();
      ::new (static_cast<void*>(this)) Result(std::move(other));
    }
    return *this;
  }
  ~Result() {
    if (ok_)
      value_.~T();
    else
      error_.~Error();
  }

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }

  T& operator*() & {
    assert(ok_);
    return value_;
  }
  const T& operator*() const& {
    assert(ok_);
    return value_;
  }
  T&& operator*() && {
    assert(ok_);
    return std::move(value_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  const Error& error() const {
    assert(!ok_);
    return error_;
  }

 private:
  union {
    T value_;
    Error error_;
  };
  bool ok_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(!ok());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace sinew

#define SINEW_CONCAT_INNER(a, b) a##b
#define SINEW_CONCAT(a, b) SINEW_CONCAT_INNER(a, b)

// SINEW_TRY(auto mesh, read_obj(path)): declares the value, or returns the error to the caller.
#define SINEW_TRY(declaration, expression) \
  SINEW_TRY_IMPL(SINEW_CONCAT(sinew_try_, __LINE__), declaration, expression)
#define SINEW_TRY_IMPL(temporary, declaration, expression) \
  auto temporary = (expression);                           \
  if (!temporary.ok()) return temporary.error();           \
  declaration = *std::move(temporary)

// SINEW_CHECK(write(...)): continues, or returns the error to the caller.
#define SINEW_CHECK(expression)                                                         \
  do {                                                                                  \
    if (auto sinew_check = (expression); !sinew_check.ok()) return sinew_check.error(); \
  } while (false)
