// Handlers here are written with xla/ffi/api/ffi.h, the header that users write theirs with.
#include "ffi/custom_call.h"

#include <gtest/gtest.h>

#include <thread>

#include "ffi/registry.h"
#include "xla/ffi/api/ffi.h"

namespace stead::ffi {
namespace {

namespace user = xla::ffi;

void Register(const std::string& target, const HandlerBundle& bundle) {
  const Status status = RegisterHandler(target, bundle);
  ASSERT_TRUE(status.ok()) << status.error().ToString();
}

CallSite Site(const std::string& target, const std::string& configuration = "") {
  const ir::Shape vector = ir::Shape::Array(ir::ElementType::kF32, {3});
  return {target, {vector}, {vector}, configuration, {"model.py", 7, 0}};
}

// Runs a call of three floats to three floats.
Status RunOnce(const CustomCall& call, std::vector<float>& in, std::vector<float>& out,
               const UserData* user_data = nullptr) {
  Execution execution(user_data);
  void* const arrays[] = {in.data(), out.data()};
  return call.Run(arrays, execution);
}

XLA_FFI_DEFINE_HANDLER(ScaleHandler,
                       ([](user::Buffer<user::F32> in, user::ResultBuffer<user::F32> out, float factor, int32_t offset,
                           std::string_view mode, user::Span<const int64_t> flags, user::Dictionary options) {
                         if (mode != "scale" || flags.size() != 2 || *options.get<bool>("on") != true)
                           return user::Error::InvalidArgument("attributes went wrong");
                         for (size_t at = 0; at < in.element_count(); ++at)
                           out->typed_data()[at] = in.typed_data()[at] * factor + static_cast<float>(offset + flags[1]);
                         return user::Error::Success();
                       }),
                       user::Ffi::Bind()
                           .Arg<user::Buffer<user::F32>>()
                           .Ret<user::Buffer<user::F32>>()
                           .Attr<float>("factor")
                           .Attr<int32_t>("offset")
                           .Attr<std::string_view>("mode")
                           .Attr<user::Span<const int64_t>>("flags")
                           .Attr<user::Dictionary>("options"));

TEST(CustomCall, HandlerSeesBuffersAndAttributes) {
  Register("scale", {.execute = ScaleHandler});
  const auto call = CustomCall::Make(Site("scale",
                                          R"({factor = 2.0 : f32, offset = 1 : i32, mode = "scale",
                                              flags = dense<[10, 20]> : tensor<2xi64>, options = {on = true}})"));
  ASSERT_TRUE(call.ok()) << call.error().ToString();
  std::vector<float> in = {1, 2, 3}, out(3);
  ASSERT_TRUE(RunOnce(**call, in, out).ok());
  EXPECT_EQ(out, (std::vector<float>{23, 25, 27}));
}

TEST(CustomCall, UnknownTargetIsNamedWithItsPlace) {
  const auto call = CustomCall::Make(Site("nobody"));
  ASSERT_FALSE(call.ok());
  EXPECT_EQ(call.error().code, ErrorCode::kUnimplemented);
  EXPECT_NE(call.error().ToString().find("`nobody`"), std::string::npos);
  EXPECT_NE(call.error().ToString().find("model.py:7"), std::string::npos);
}

TEST(CustomCall, BadConfigurationIsNamedWithItsTarget) {
  Register("bad_configuration", {.execute = ScaleHandler});
  const auto call = CustomCall::Make(Site("bad_configuration", "{x"));
  ASSERT_FALSE(call.ok());
  EXPECT_NE(call.error().ToString().find("bad_configuration"), std::string::npos);
}

XLA_FFI_DEFINE_HANDLER(
    FailingHandler,
    [](user::AnyBuffer, user::Result<user::AnyBuffer>) {
      return user::Error(user::ErrorCode::kResourceExhausted, "no room on the moon");
    },
    user::Ffi::Bind().Arg<user::AnyBuffer>().Ret<user::AnyBuffer>());

TEST(CustomCall, ErrorOfAHandlerNamesTargetAndPlace) {
  Register("failing", {.execute = FailingHandler});
  const auto call = CustomCall::Make(Site("failing"));
  ASSERT_TRUE(call.ok());
  std::vector<float> in(3), out(3);
  const Status status = RunOnce(**call, in, out);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(status.error().what, "custom call to `failing` failed: no room on the moon");
  EXPECT_EQ(status.error().where.line, 7);
}

TEST(CustomCall, WrongNumberOfOperandsIsTheHandlersError) {
  Register("two_operands", {.execute = FailingHandler});
  CallSite site = Site("two_operands");
  site.operands.push_back(site.operands[0]);
  const auto call = CustomCall::Make(site);
  ASSERT_TRUE(call.ok());
  float data[3] = {};
  void* const arrays[] = {data, data, data};
  Execution execution(nullptr);
  const Status status = (*call)->Run(arrays, execution);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
}

// A state per stage, and how many of them are alive.
struct Counted {
  static user::TypeId id;
  static int alive;
  explicit Counted(int number) : number(number) { ++alive; }
  ~Counted() { --alive; }
  int number;
};
user::TypeId Counted::id = {};
int Counted::alive = 0;

template <int number>
user::ErrorOr<std::unique_ptr<Counted>> MakeCounted() {
  return std::make_unique<Counted>(number);
}

XLA_FFI_DEFINE_HANDLER(InstantiateHandler, MakeCounted<1>, user::Ffi::BindInstantiate());
XLA_FFI_DEFINE_HANDLER(PrepareHandler, MakeCounted<10>, user::Ffi::BindPrepare());
XLA_FFI_DEFINE_HANDLER(InitializeHandler, MakeCounted<100>, user::Ffi::BindInitialize());
XLA_FFI_DEFINE_HANDLER(
    SumStatesHandler,
    [](user::AnyBuffer, user::ResultBuffer<user::F32> out, Counted* instance, Counted* prepared, Counted* initialized) {
      out->typed_data()[0] = static_cast<float>(instance->number + prepared->number + initialized->number);
      ++instance->number;
      return user::Error::Success();
    },
    user::Ffi::Bind()
        .Arg<user::AnyBuffer>()
        .Ret<user::Buffer<user::F32>>()
        .Ctx<user::State<Counted>>()
        .Ctx<user::Prepared<Counted>>()
        .Ctx<user::Initialized<Counted>>());

TEST(CustomCall, StatesLiveAsLongAsTheirStages) {
  const XLA_FFI_TypeInfo type_info = user::MakeTypeInfo<Counted>();
  Counted::id.type_id = RegisterType("Counted", 0, type_info.deleter).value();
  Register("states", {InstantiateHandler, PrepareHandler, InitializeHandler, SumStatesHandler});
  {
    const auto call = CustomCall::Make(Site("states"));
    ASSERT_TRUE(call.ok()) << call.error().ToString();
    EXPECT_EQ(Counted::alive, 1);
    std::vector<float> in(3), out(3);
    {
      Execution execution(nullptr);
      void* const arrays[] = {in.data(), out.data()};
      ASSERT_TRUE((*call)->Run(arrays, execution).ok());
      EXPECT_EQ(out[0], 111);
      ASSERT_TRUE((*call)->Run(arrays, execution).ok());
      EXPECT_EQ(out[0], 112);
      EXPECT_EQ(Counted::alive, 3);
    }
    EXPECT_EQ(Counted::alive, 1);
    ASSERT_TRUE(RunOnce(**call, in, out).ok());
    EXPECT_EQ(out[0], 113);
  }
  EXPECT_EQ(Counted::alive, 0);
}

XLA_FFI_DEFINE_HANDLER(
    LaterHandler,
    [](user::AnyBuffer, user::ResultBuffer<user::F32> out) {
      user::Promise promise;
      user::Future future(promise);
      std::thread([out, promise = std::move(promise)]() mutable {
        out->typed_data()[0] = 42;
        promise.SetAvailable();
      }).detach();
      return future;
    },
    user::Ffi::Bind().Arg<user::AnyBuffer>().Ret<user::Buffer<user::F32>>());

TEST(CustomCall, AsynchronousHandlerIsWaitedFor) {
  Register("later", {.execute = LaterHandler});
  const auto call = CustomCall::Make(Site("later"));
  std::vector<float> in(3), out(3);
  for (int run = 0; run < 100; ++run) {
    out[0] = 0;
    ASSERT_TRUE(RunOnce(**call, in, out).ok());
    ASSERT_EQ(out[0], 42);
  }
}

XLA_FFI_DEFINE_HANDLER(
    ContextHandler,
    [](user::AnyBuffer, user::ResultBuffer<user::F32> out, user::ScratchAllocator scratch, user::ThreadPool pool,
       user::RunId run, int32_t device, Counted* given) {
      const auto memory = scratch.Allocate(1000, 256);
      if (!memory || reinterpret_cast<uintptr_t>(*memory) % 256 != 0) return user::Error::Internal("memory");
      pool.Schedule([&] { out->typed_data()[0] = 1; });
      out->typed_data()[1] = static_cast<float>(run.run_id > 0 ? device : -1);
      out->typed_data()[2] = static_cast<float>(given->number);
      return user::Error::Success();
    },
    user::Ffi::Bind()
        .Arg<user::AnyBuffer>()
        .Ret<user::Buffer<user::F32>>()
        .Ctx<user::ScratchAllocator>()
        .Ctx<user::ThreadPool>()
        .Ctx<user::RunId>()
        .Ctx<user::DeviceOrdinal>()
        .Ctx<user::UserData<Counted>>());

TEST(CustomCall, ContextGivesMemoryThreadsAndUserData) {
  Counted::id.type_id = RegisterType("Counted", 0, user::MakeTypeInfo<Counted>().deleter).value();
  Register("context", {.execute = ContextHandler});
  const auto call = CustomCall::Make(Site("context"));
  std::vector<float> in(3), out(3);
  Counted given(5);
  const UserData user_data = {{Counted::id.type_id, &given}};
  ASSERT_TRUE(RunOnce(**call, in, out, &user_data).ok());
  EXPECT_EQ(out, (std::vector<float>{1, 0, 5}));
  const Status status = RunOnce(**call, in, out);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find("user data"), std::string::npos) << status.error().what;
}

XLA_FFI_DEFINE_HANDLER(
    TokenHandler,
    [](user::Token, user::AnyBuffer in, user::Result<user::Token>, user::ResultBuffer<user::S64> out) {
      const auto dimensions = in.dimensions();
      out->typed_data()[0] = static_cast<int64_t>(dimensions.size()) * 100 + dimensions[1];
      return user::Error::Success();
    },
    user::Ffi::Bind().Arg<user::Token>().Arg<user::AnyBuffer>().Ret<user::Token>().Ret<user::Buffer<user::S64>>());

TEST(CustomCall, TokensTakeNoAddress) {
  Register("token", {.execute = TokenHandler});
  const auto call = CustomCall::Make({"token",
                                      {ir::Shape::Token(), ir::Shape::Array(ir::ElementType::kBF16, {2, 5})},
                                      {ir::Shape::Token(), ir::Shape::Array(ir::ElementType::kS64, {})},
                                      "",
                                      {}});
  ASSERT_TRUE(call.ok());
  uint16_t in[10] = {};
  int64_t out = 0;
  void* const arrays[] = {in, &out};
  Execution execution(nullptr);
  const Status status = (*call)->Run(arrays, execution);
  ASSERT_TRUE(status.ok()) << status.error().ToString();
  EXPECT_EQ(out, 205);
}

// --- registry

XLA_FFI_Error* HandlerOfTheFuture(XLA_FFI_CallFrame* frame) {
  auto* const extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  extension->metadata->api_version.minor_version = XLA_FFI_API_MINOR + 1;
  return nullptr;
}

TEST(Registry, HandlersOfANewerInterfaceAreRefused) {
  const Status status = RegisterHandler("future", {.execute = HandlerOfTheFuture});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find("`future`"), std::string::npos);
  EXPECT_FALSE(FindHandler("future").has_value());
}

TEST(Registry, AnotherHandlerUnderTheSameNameIsRefused) {
  Register("twice", {.execute = FailingHandler});
  Register("twice", {.execute = FailingHandler});
  EXPECT_FALSE(RegisterHandler("twice", {.execute = ScaleHandler}).ok());
  EXPECT_EQ(FindHandler("twice")->execute, FailingHandler);
  EXPECT_FALSE(RegisterHandler("nothing", {.prepare = PrepareHandler}).ok());
}

TEST(Registry, TypesKeepTheirIds) {
  const int64_t made = RegisterType("made", 0, nullptr).value();
  EXPECT_GT(made, 0);
  EXPECT_EQ(RegisterType("made", 0, nullptr).value(), made);
  EXPECT_EQ(RegisterType("given", 9000, nullptr).value(), 9000);
  EXPECT_FALSE(RegisterType("given", 9001, nullptr).ok());
  EXPECT_FALSE(RegisterType("other", 9000, nullptr).ok());
}

}  // namespace
}  // namespace stead::ffi
