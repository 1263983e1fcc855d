#include "frontend/stablehlo/devices/lockstep.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/stablehlo/devices/exchanges.h"
#include "frontend/stablehlo/devices/lockstep_loop.h"

namespace stead::frontend {

namespace {

bool IsBetweenDevices(const OpRow& row) { return ir::InfoOf(row.opcode).family == ir::OpFamily::kCommunication; }

}  // namespace

Result<std::vector<OpImport>> PrepareEach(Importer& importer, const mlir::Operation& op, const OpRow& row,
                                          std::vector<Scope>& scopes) {
  std::vector<OpImport> parts;
  for (Scope& scope : scopes) {
    parts.emplace_back(importer, scope, op, row);
    TRY_STATUS(parts.back().Prepare());
  }
  return parts;
}

bool IsSameEverywhere(const std::vector<Scope>& scopes, mlir::ValueId value) {
  const ir::InstrId first = scopes[0].instructions.at(value);
  return std::ranges::all_of(scopes, [&](const Scope& scope) { return scope.instructions.at(value) == first; });
}

bool IsPlaceless(const OpRow& row) {
  const bool asks_for_place = row.opcode == ir::Opcode::kPartitionId || row.opcode == ir::Opcode::kReplicaId;
  return !asks_for_place && !ir::HasTrait(row.opcode, ir::kCalls) && !ir::HasTrait(row.opcode, ir::kEffect);
}

Lockstep::Lockstep(Importer& importer, std::vector<DevicePlace> places)
    : importer_(importer), places_(std::move(places)) {
  for (const DevicePlace& place : places_) devices_.push_back(place.mesh.DeviceAt(place.coordinates));
}

Result<std::vector<std::vector<ir::InstrId>>> Lockstep::ImportBlock(const mlir::Block& block,
                                                                    std::vector<Scope>& scopes) {
  const DepthGuard guard(importer_.depth());
  TRY_STATUS(guard.status());
  for (const mlir::Operation& op : block.operations) {
    TRY_STATUS(FindConstants(op, scopes));
    if (!IsTerminator(importer_.source().name_of(op))) {
      TRY_STATUS(ImportOperation(op, scopes));
      continue;
    }
    std::vector<std::vector<ir::InstrId>> results(scopes.size());
    for (size_t part = 0; part < scopes.size(); ++part) {
      for (mlir::ValueId id : op.operands) results[part].push_back(scopes[part].instructions.at(id));
    }
    return results;
  }
  return InvalidArgument("a block does not end in a return");
}

Status Lockstep::FindConstants(const mlir::Operation& op, std::vector<Scope>& scopes) {
  for (mlir::ValueId id : op.operands) {
    if (scopes[0].instructions.contains(id)) continue;
    TRY(const ir::InstrId constant, importer_.ValueOf(scopes[0], id));
    for (Scope& scope : scopes) scope.instructions[id] = constant;
  }
  return {};
}

Status Lockstep::ImportOperation(const mlir::Operation& op, std::vector<Scope>& scopes) {
  TRY_STATUS(importer_.CountWrittenOut(static_cast<int64_t>(scopes.size())));
  const OpRow* row = FindOpRow(importer_.source().name_of(op));
  TRY(const bool exchanges, Exchanges(op));
  if (row == nullptr || !exchanges) return ImportForEach(op, row, scopes);
  if (IsBetweenDevices(*row)) return ImportBetween(op, *row, scopes);
  if (const mlir::Region* body = CalledBody(op)) return ImportCalled(op, *body, scopes);
  if (row->opcode == ir::Opcode::kWhile) return ImportLoop(op, *row, scopes);
  return Unimplemented(fmt::format("operations between devices inside of op `{}`", row->name), importer_.PlaceOf(op));
}

Status Lockstep::ImportForEach(const mlir::Operation& op, const OpRow* row, std::vector<Scope>& scopes) {
  const auto is_same = [&](mlir::ValueId id) { return IsSameEverywhere(scopes, id); };
  const bool once = row != nullptr && IsPlaceless(*row) && std::ranges::all_of(op.operands, is_same);
  for (size_t part = 0; part < (once ? 1 : scopes.size()); ++part) {
    importer_.SetPlace(places_[part]);
    TRY_STATUS(importer_.ImportOperation(op, scopes[part]));
  }
  if (!once) return {};
  for (Scope& scope : scopes) {
    for (mlir::ValueId id : op.results) scope.instructions[id] = scopes[0].instructions.at(id);
  }
  return {};
}

Status Lockstep::ImportBetween(const mlir::Operation& op, const OpRow& row, std::vector<Scope>& scopes) {
  TRY(std::vector<OpImport> parts, PrepareEach(importer_, op, row, scopes));
  return ImportExchange(parts, devices_);
}

Status Lockstep::ImportCalled(const mlir::Operation& op, const mlir::Region& body, std::vector<Scope>& scopes) {
  const bool fits = body.blocks.size() == 1 && body.blocks[0].arguments.size() == op.operands.size();
  if (!fits) return InvalidArgument("a call does not give what is called its arguments", importer_.PlaceOf(op));
  const mlir::Block& block = body.blocks[0];
  std::vector<Scope> inner;
  for (const Scope& scope : scopes) {
    inner.push_back({scope.computation_id, {}});
    for (size_t argument = 0; argument < op.operands.size(); ++argument) {
      inner.back().instructions[block.arguments[argument]] = scope.instructions.at(op.operands[argument]);
    }
  }
  TRY(const std::vector<std::vector<ir::InstrId>> results, ImportBlock(block, inner));
  if (results[0].size() != op.results.size()) {
    return InvalidArgument("a call has not as many results as what is called", importer_.PlaceOf(op));
  }
  for (size_t part = 0; part < scopes.size(); ++part) {
    for (size_t result = 0; result < op.results.size(); ++result) {
      scopes[part].instructions[op.results[result]] = results[part][result];
    }
  }
  return {};
}

Status Lockstep::ImportLoop(const mlir::Operation& op, const OpRow& row, std::vector<Scope>& scopes) {
  return LockstepLoop(importer_, *this, op, row, scopes).Import();
}

const mlir::Region* Lockstep::CalledBody(const mlir::Operation& op) const {
  const std::string_view name = FindOpRow(importer_.source().name_of(op))->name;
  if (name == "sdy.named_computation") return &op.regions[0];
  const std::string_view attribute = name == "call" ? "callee" : name == "composite" ? "decomposition" : "";
  if (attribute.empty()) return nullptr;
  const auto callee = importer_.source().Find<mlir::StringAttribute>(op, attribute);
  return callee.ok() && *callee ? importer_.FunctionBody((*callee)->text) : nullptr;
}

Result<bool> Lockstep::Exchanges(const mlir::Operation& op) {
  const OpRow* row = FindOpRow(importer_.source().name_of(op));
  // What an inner manual computation exchanges, it exchanges along its own axes, for each of our places.
  if (row == nullptr || row->name == "sdy.manual_computation") return false;
  if (IsBetweenDevices(*row)) return true;
  if (!ir::HasTrait(row->opcode, ir::kCalls)) return false;
  // A function that calls itself is refused where it is imported.
  const auto [known, is_new] = exchanges_.emplace(&op, false);
  if (!is_new) return known->second;
  const DepthGuard guard(importer_.depth());
  TRY_STATUS(guard.status());
  std::vector<const mlir::Region*> regions;
  for (const mlir::Region& region : op.regions) regions.push_back(&region);
  if (const mlir::Region* body = CalledBody(op)) regions.push_back(body);
  for (const mlir::Region* region : regions) {
    for (const mlir::Block& block : region->blocks) {
      for (const mlir::Operation& inner : block.operations) {
        TRY(const bool exchanges, Exchanges(inner));
        if (exchanges) return exchanges_[&op] = true;
      }
    }
  }
  return false;
}

}  // namespace stead::frontend
