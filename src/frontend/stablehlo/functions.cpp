// The functions of the module: the entry `main` with its donations, and the private ones it calls.
#include <fmt/format.h>

#include "frontend/stablehlo/entry_tokens.h"
#include "frontend/stablehlo/importer.h"
#include "frontend/stablehlo/names.h"

namespace stead::frontend {

Result<ir::Module> Importer::ImportModule() {
  if (source_.name_of(source_.root) != "builtin.module") {
    return InvalidArgument(fmt::format("the outermost operation is `{}`, not a module", source_.name_of(source_.root)));
  }
  TRY(std::optional<mlir::StringAttribute> name, source_.Find<mlir::StringAttribute>(source_.root, "sym_name"));
  module_.name = name && !name->text.empty() ? HloName(name->text) : "module";
  TRY(device_count_, DeviceCount("mhlo.num_partitions"));
  TRY(const int64_t replica_count, DeviceCount("mhlo.num_replicas"));
  if (replica_count != 1) {
    return Unimplemented(fmt::format("the program is for several devices: mhlo.num_replicas = {}", replica_count));
  }
  TRY_STATUS(CollectFunctions());
  auto main = functions_.find("main");
  if (main == functions_.end()) return InvalidArgument("the module has no function `main`");
  TRY(module_.entry, FunctionNamed("main"));
  TRY_STATUS(ImportEntryAttributes(*main->second.op));
  TRY_STATUS(ImportModuleAliases());
  ReplaceEntryTokens(module_);
  TRY_STATUS(ImportEntryLayouts(*main->second.op));
  return std::move(module_);
}

Result<int64_t> Importer::DeviceCount(std::string_view attribute) const {
  TRY(std::optional<mlir::IntegerAttribute> count, source_.Find<mlir::IntegerAttribute>(source_.root, attribute));
  return count ? count->value : 1;
}

Status Importer::CollectFunctions() {
  for (const mlir::Region& region : source_.root.regions) {
    for (const mlir::Block& block : region.blocks) {
      for (const mlir::Operation& op : block.operations) {
        const std::string_view op_name = source_.name_of(op);
        if (op_name == "sdy.mesh" && device_count_ > 1) TRY_STATUS(shardings_.AddMesh(op));
        if (op_name != "vhlo.func_v1" && op_name != "func.func") continue;
        TRY(std::optional<mlir::StringAttribute> name, source_.Find<mlir::StringAttribute>(op, "sym_name"));
        if (!name || op.regions.size() != 1) return InvalidArgument("a function has no name or no body", PlaceOf(op));
        if (!functions_.emplace(name->text, Function{&op}).second) {
          return InvalidArgument(fmt::format("function `{}` is defined twice", name->text), PlaceOf(op));
        }
      }
    }
  }
  return {};
}

const mlir::Region* Importer::FunctionBody(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second.op->regions[0];
}

Result<ir::ComputationId> Importer::FunctionNamed(std::string_view name) {
  auto found = functions_.find(name);
  if (found == functions_.end()) return InvalidArgument(fmt::format("function `{}` is called but not defined", name));
  Function& function = found->second;
  if (function.is_open) return InvalidArgument(fmt::format("function `{}` calls itself", name));
  const int64_t device = place_ ? place_->mesh.DeviceAt(place_->coordinates) : kEveryDevice;
  const auto known = function.computation_ids.find(device);
  if (known != function.computation_ids.end()) return known->second;
  function.is_open = true;
  Result<ir::ComputationId> imported = ImportFunction(function, name);
  function.is_open = false;
  if (imported.ok()) function.computation_ids[device] = *imported;
  return imported;
}

Result<ir::ComputationId> Importer::ImportFunction(const Function& function, std::string_view name) {
  const mlir::Region& body = function.op->regions[0];
  RegionForm form{.name = name};
  if (!body.blocks.empty()) form.inputs = body.blocks[0].arguments;
  return ImportRegion(body, form);
}

Status Importer::ImportEntryAttributes(const mlir::Operation& main) {
  TRY(std::optional<mlir::ArrayAttribute> arguments, source_.Find<mlir::ArrayAttribute>(main, "arg_attrs"));
  if (!arguments) return {};
  size_t parameter_count = module_.entry_computation().parameters.size();
  if (arguments->items.size() > parameter_count)
    return InvalidArgument("`main` has attributes for more arguments than it takes");
  for (size_t parameter = 0; parameter < arguments->items.size(); ++parameter) {
    TRY(mlir::DictionaryAttribute attributes, source_.pool.Get<mlir::DictionaryAttribute>(arguments->items[parameter]));
    TRY_STATUS(ImportArgumentAttributes(attributes, static_cast<int64_t>(parameter)));
  }
  return {};
}

// Donations as XLA writes them when it turns HLO into StableHLO: an attribute of the module.
Status Importer::ImportModuleAliases() {
  TRY(std::optional<mlir::ArrayAttribute> list,
      source_.Find<mlir::ArrayAttribute>(source_.root, "mhlo.input_output_alias"));
  if (!list) return {};
  for (mlir::AttributeId id : list->items) {
    TRY(mlir::DictionaryAttribute pair, source_.pool.Get<mlir::DictionaryAttribute>(id));
    ir::InputOutputAlias alias;
    for (const mlir::DictionaryAttribute::Entry& entry : pair.entries) {
      if (entry.name == "output_index") {
        TRY(mlir::IntegersAttribute index, source_.pool.Get<mlir::IntegersAttribute>(entry.value));
        alias.output_index = index.values;
      } else if (entry.name == "alias") {
        TRY(mlir::DictionaryAttribute parameter, source_.pool.Get<mlir::DictionaryAttribute>(entry.value));
        TRY_STATUS(ImportAliasedParameter(parameter, alias));
      }
    }
    TRY_STATUS(CheckAlias(alias));
    module_.input_output_aliases.push_back(std::move(alias));
  }
  return {};
}

Status Importer::ImportAliasedParameter(const mlir::DictionaryAttribute& attributes,
                                        ir::InputOutputAlias& alias) const {
  for (const mlir::DictionaryAttribute::Entry& entry : attributes.entries) {
    if (entry.name == "kind") {
      TRY(mlir::StringAttribute kind, source_.pool.Get<mlir::StringAttribute>(entry.value));
      alias.must = kind.text == "must_alias";
    } else if (entry.name == "parameter_number") {
      TRY(mlir::IntegerAttribute number, source_.pool.Get<mlir::IntegerAttribute>(entry.value));
      alias.parameter = number.value;
    } else if (entry.name == "parameter_index") {
      TRY(mlir::IntegersAttribute index, source_.pool.Get<mlir::IntegersAttribute>(entry.value));
      alias.parameter_index = index.values;
    }
  }
  return {};
}

// Both ends are leaves that the module has. The importer makes no nested tuples.
Status Importer::CheckAlias(const ir::InputOutputAlias& alias) const {
  const ir::Computation& entry = module_.entry_computation();
  const ir::Shape& result = module_.shape(entry.root);
  const bool has_parameter = alias.parameter >= 0 && alias.parameter < static_cast<int64_t>(entry.parameters.size()) &&
                             alias.parameter_index.empty();
  const bool has_output = result.is_tuple() ? alias.output_index.size() == 1 && alias.output_index[0] >= 0 &&
                                                  alias.output_index[0] < static_cast<int64_t>(result.elements.size())
                                            : alias.output_index.empty();
  if (has_parameter && has_output) return {};
  return InvalidArgument(fmt::format(
      "mhlo.input_output_alias names parameter {} and a result that `main` does not have both", alias.parameter));
}

// Donations. How arrays lie on several devices says devices/border.h, in which order entry_layouts.cpp; there is one memory.
Status Importer::ImportArgumentAttributes(const mlir::DictionaryAttribute& attributes, int64_t parameter) {
  const ir::Shape& result = module_.shape(module_.root(module_.entry));
  int64_t result_count = result.is_tuple() ? static_cast<int64_t>(result.elements.size()) : 1;
  for (const mlir::DictionaryAttribute::Entry& entry : attributes.entries) {
    if (entry.name == "tf.aliasing_output") {
      TRY(mlir::IntegerAttribute output, source_.pool.Get<mlir::IntegerAttribute>(entry.value));
      if (output.value < 0 || output.value >= result_count) {
        return InvalidArgument(fmt::format("argument {} is donated to result {}, but there are {} results", parameter,
                                           output.value, result_count));
      }
      ir::ShapeIndex output_index;
      if (result.is_tuple()) output_index = {output.value};
      module_.input_output_aliases.push_back({output_index, parameter, {}, false});
    } else if (entry.name == "jax.buffer_donor") {
      TRY(mlir::IntegerAttribute is_donor, source_.pool.Get<mlir::IntegerAttribute>(entry.value));
      if (is_donor.value != 0) module_.buffer_donors.push_back({parameter, {}});
    }
  }
  return {};
}

}  // namespace stead::frontend
