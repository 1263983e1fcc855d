// One sweep from results to operands.
//
// Problem. x = exp(a); y = x + b; z = y * y are three loops over memory; as one loop they are one. Which producers may be
// computed inside the loop of a consumer, and when is computing twice cheaper than storing?
//
// Method. Instructions are met users first. When an instruction is met, the clusters of all of its users are known:
//   - somebody outside all clusters uses it (a loop, a dot, a result): it is stored, so it starts a cluster of its own;
//   - all users lie in one cluster: it may join it;
//   - they lie in at most kMaxCopies clusters and it is cheap: each of them computes it for itself;
//   - constants and fills join every cluster that uses them.
// Joining is refused where it would cost more than it saves:
//   - reads: how often an element is computed, per different index. x used twice at one index is computed once (the emitter
//     remembers values by index), under a broadcast it is computed for each repetition. Expensive ops join only where no
//     element is computed twice, cheap ones as long as they add no more than kMaxRepeats per element of the loop;
//   - arcs: a reader of an array that is updated in place may not join a cluster that must run after the update (arcs.h);
//   - inside an update's own cluster the updated array may be read only at the written window, element by element, and a small
//     part of an array may not spoil building the result in that array's memory.
//
// Why there are no cycles. A cluster has one result and every member flows into it. A member's operand that depended on the
// cluster would depend on its result, hence on the member, hence on itself.
//
// A reduction joins the ops that follow it element by element (a mean's division, a conversion back to fewer bits): they are
// applied to each sum as it is ready, and the sums are never stored.
//
// One that is spread out again over the rows it was made from (a mean that is taken off) is made once per row, before the row's
// elements, if the array is an argument that the caller keeps.
//
// Where a window starts, and which elements a gather reads, stays outside, where planning sees it, unless nobody can overwrite
// the array that is read: an argument that the caller keeps, or a constant.
//
// What is given up: clusters with several results (multi_output.h).
#include "passes/fusion/clusters.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "passes/fusion/arcs.h"
#include "passes/fusion/costs.h"

namespace stead::passes {
namespace {

using ir::InstrId;
using ir::Instruction;
using ir::Opcode;

constexpr size_t kMaxWork = 256;                  // members that compute; LLVM takes more than linear time for a loop
constexpr double kMaxRepeats = 4;                 // cheap ops per element of the loop that may be computed again
constexpr double kLoopRepeats = 2048;             // and as many more as a loop of its own would cost
constexpr size_t kMaxCopies = 3;                  // clusters that may each compute one cheap producer
constexpr size_t kMaxIndices = 4;                 // different indices at which one cluster may compute one producer
constexpr size_t kMaxVisits = 4096;               // nodes per search for a path; a longer search refuses to fuse
constexpr int64_t kMaxVisitsPerInstruction = 64;  // and for all searches of a computation together

// How the elements of one instruction are asked for by one cluster.
struct Demand {
  // One entry per different index map: its name, and how many elements are asked for.
  struct Reads {
    int64_t index_map;
    double elements;
  };
  std::vector<Reads> reads;
  // Element k is needed only for element k of the window that the cluster's update writes (or, without update, of the result).
  bool aligned = true;

  double elements() const {
    double sum = 0;
    for (const Reads& read : reads) sum += read.elements;
    return sum;
  }
  void Include(const Demand& other) {
    aligned = aligned && other.aligned;
    for (const Reads& more : other.reads) {
      auto same = std::ranges::find(reads, more.index_map, &Reads::index_map);
      if (same == reads.end()) {
        reads.push_back(more);
      } else {
        same->elements = std::max(same->elements, more.elements);
      }
    }
  }
};

// A reshape between the two only adds or drops dimensions of one element: indices name the same elements.
bool SameIndex(const ir::Shape& left, const ir::Shape& right) {
  const auto sizes = [](const ir::Shape& shape) {
    ir::Dimensions kept = shape.dimensions;
    std::erase(kept, 1);
    return kept;
  };
  return sizes(left) == sizes(right);
}

// One of the sizes for each row of the other: all but the last.
bool IsWithoutLast(const ir::Shape& shape, const ir::Shape& rows) {
  if (rows.rank() == 0) return false;
  ir::Shape without = rows;
  without.dimensions.back() = 1;
  return SameIndex(shape, without);
}

constexpr int64_t kRootMap = 0;
constexpr int64_t kScalarMap = 1;
constexpr int64_t kRowMap = 2;  // the root's index without its last dimension
constexpr int64_t kFirstFreeMap = 3;
// Shorter rows are no place for what is computed once per row.
constexpr int64_t kShortestRow = 64;

struct Growing {
  Cluster cluster;
  size_t counted = 1;  // members that are not constants
  size_t work = 1;     // members that are not free
  double elements;     // that the loop runs over
  double repeats = 0;  // elements of members that are computed again, since an operand is asked for at several indices
};

struct Membership {
  size_t cluster;
  Demand demand;
};

class ClusterFinder {
 public:
  ClusterFinder(const ir::Module& module, ir::ComputationId computation)
      : module_(module),
        list_(module.computation(computation).instructions),
        root_(module.root(computation)),
        arcs_(module, computation),
        visits_left_(kMaxVisitsPerInstruction * static_cast<int64_t>(list_.size())) {}

  std::vector<Cluster> Run() {
    for (auto id = list_.rbegin(); id != list_.rend(); ++id) Place(*id);
    std::vector<Cluster> clusters;
    for (Growing& growing : clusters_) {
      if (growing.counted >= 2) clusters.push_back(std::move(growing.cluster));
    }
    return clusters;
  }

 private:
  const ir::Module& module_;
  const std::vector<InstrId>& list_;
  InstrId root_;
  Arcs arcs_;
  std::vector<Growing> clusters_;
  std::unordered_map<InstrId, std::vector<Membership>> memberships_;
  int64_t next_map_ = kFirstFreeMap;
  std::map<std::pair<size_t, ir::Dimensions>, int64_t>
      projection_maps_;                     // by cluster and dimensions of its root's index
  std::unordered_set<int64_t> whole_rows_;  // maps of arrays like the result, read along the row that is being made
  int64_t visits_left_;

  // --- placing one instruction

  void Place(InstrId id) {
    bool stored = false;
    std::vector<Membership> wanted = DemandsOf(id, stored);
    bool free = IsFree(module_, id);
    bool joins_all = (MayBeInside(module_, id) || MayBeLookedUp(id) || MayBeFinished(id, wanted)) && !wanted.empty() &&
                     (free || (!stored && MayBeCopied(id, wanted.size())));
    if (joins_all && !free) {
      joins_all = std::ranges::all_of(wanted, [&](const Membership& membership) { return MayJoin(id, membership); });
    }
    if (joins_all) {
      for (Membership& membership : wanted) Join(id, std::move(membership));
    } else if (MayBeRoot(module_, id) || MayBeLookedUp(id)) {
      StartCluster(id);
    }
  }

  // A reduction whose elements each make the same element of one cluster's result; all reductions of a cluster run alike.
  bool MayBeFinished(InstrId id, const std::vector<Membership>& wanted) const {
    const Instruction& reduce = module_.instruction(id);
    if (reduce.opcode != Opcode::kReduce || !reduce.shape.is_array() || !MayBeRoot(module_, id) ||
        !module_.control_successors(id).empty())
      return false;
    if (wanted.size() != 1 || wanted[0].demand.reads.size() != 1) return false;
    const Cluster& cluster = clusters_[wanted[0].cluster].cluster;
    Opcode root = module_.instruction(cluster.root).opcode;
    if (root == Opcode::kDynamicUpdateSlice || root == Opcode::kReduce) return false;
    bool is_one_each = reduce.shape.is_scalar() ? module_.shape(cluster.root).is_scalar() : wanted[0].demand.aligned;
    if (wanted[0].demand.reads[0].index_map == kRowMap) return IsSumOfRow(id, wanted[0].cluster);
    return is_one_each && std::ranges::all_of(cluster.members, [&](InstrId member) {
             return module_.instruction(member).opcode != Opcode::kReduce ||
                    ReducesRows(module_, member) == ReducesRows(module_, id);
           });
  }

  // A reduction of one row for each row of the cluster's result, made before the row's elements are. Those could not take the
  // place of what the row is made from, so only rows of arrays that the caller keeps are read twice.
  bool IsSumOfRow(InstrId id, size_t cluster) const {
    const Instruction& reduce = module_.instruction(id);
    const InstrId operand = reduce.operands[0];
    const ir::Shape& rows = module_.shape(operand);
    return SameIndex(rows, module_.shape(clusters_[cluster].cluster.root)) && IsWithoutLast(reduce.shape, rows) &&
           ReducesRows(module_, id) && (IsKeptArgument(operand) || IsMadeFromKept(id, cluster));
  }

  // What is reduced is made in the cluster's loop, and all arrays of its size that it is made from are arguments that are not
  // given away.
  bool IsMadeFromKept(InstrId reduce, size_t cluster) const {
    const InstrId value = module_.operand(reduce, 0);
    const int64_t elements = module_.shape(value).element_count();
    std::vector<InstrId> made{value};
    for (size_t next = 0; next < made.size(); ++next) {
      const InstrId id = made[next];
      if (!MayBeInside(module_, id) || made.size() > kMaxWork) return false;
      if (IsExpensive(module_.instruction(id).opcode) && module_.users(id).size() > 1) return false;
      for (InstrId operand : module_.instruction(id).operands) {
        const bool is_small = module_.shape(operand).element_count() < elements;
        if (is_small || IsKeptArgument(operand) || std::ranges::find(made, operand) != made.end()) continue;
        made.push_back(operand);
      }
    }
    return std::ranges::all_of(made, [&](InstrId id) {
      return std::ranges::all_of(module_.users(id), [&](InstrId user) {
        auto found = memberships_.find(user);
        bool is_member =
            found != memberships_.end() && found->second.size() == 1 && found->second[0].cluster == cluster;
        return is_member || user == reduce || std::ranges::find(made, user) != made.end();
      });
    });
  }

  // A gather whose array nobody can overwrite, so that nobody asks which of its elements are read, and when.
  bool MayBeLookedUp(InstrId id) const { return MayBeLookup(module_, id) && IsFixed(module_.operand(id, 0)); }

  bool IsFixed(InstrId array) const {
    const Origin origin = OriginOf(module_, array);
    return module_.instruction(origin.instruction).opcode == Opcode::kConstant || IsKeptArgument(origin.instruction);
  }

  bool IsKeptArgument(InstrId id) const {
    const Instruction& parameter = module_.instruction(id);
    return parameter.opcode == Opcode::kParameter && parameter.computation == module_.entry &&
           parameter.shape.is_array() && !module_.IsDonated(parameter.As<ir::ParameterAttributes>().number, {});
  }

  bool MayBeCopied(InstrId id, size_t copies) const {
    return copies == 1 || (copies <= kMaxCopies && !IsExpensive(module_.instruction(id).opcode));
  }

  // What each cluster asks of the instruction; `stored` when somebody outside all clusters uses it.
  std::vector<Membership> DemandsOf(InstrId id, bool& stored) {
    std::vector<Membership> demands;
    stored = id == root_;
    for (InstrId user : module_.users(id)) {
      auto found = memberships_.find(user);
      if (found == memberships_.end()) {
        stored = true;
        continue;
      }
      for (const Membership& of_user : found->second) {
        std::optional<Demand> demand = DemandOnOperand(id, user, of_user);
        if (!demand) {
          stored = true;
          continue;
        }
        auto same = std::ranges::find(demands, of_user.cluster, &Membership::cluster);
        if (same == demands.end()) {
          demands.push_back({of_user.cluster, *std::move(demand)});
        } else {
          same->demand.Include(*demand);
        }
      }
    }
    return demands;
  }

  bool IsRootOf(InstrId id, size_t cluster) const { return clusters_[cluster].cluster.root == id; }

  // What `user`, in one cluster, asks of its operand `id`. Nothing when the operand must be stored for it.
  std::optional<Demand> DemandOnOperand(InstrId id, InstrId user, const Membership& of_user) {
    const Instruction& instruction = module_.instruction(user);
    bool is_scalar = module_.shape(id).is_scalar();
    bool is_constant = module_.instruction(id).opcode == Opcode::kConstant;
    Demand demand;
    for (size_t number = 0; number < instruction.operands.size(); ++number) {
      if (instruction.operands[number] != id) continue;
      bool is_update = instruction.opcode == Opcode::kDynamicUpdateSlice;
      if (is_update && number == 0) return std::nullopt;
      if (IsWindowStart(instruction, number) && !is_constant && !MayBeHidden(instruction, of_user.cluster))
        return std::nullopt;
      demand.Include(DemandAt(id, user, number, of_user, is_scalar));
    }
    return demand;
  }

  // Nobody asks where the window lies that this member of the cluster reads or writes.
  bool MayBeHidden(const Instruction& member, size_t cluster) const {
    return IsPrivate(cluster) || (member.opcode == Opcode::kDynamicSlice && IsFixed(member.operands[0]));
  }

  // Nobody but the cluster reads the array that it updates, so nobody can ask how its window lies to theirs.
  bool IsPrivate(size_t cluster) const {
    const Instruction& root = module_.instruction(clusters_[cluster].cluster.root);
    if (root.opcode != Opcode::kDynamicUpdateSlice) return false;
    // Elements of a tuple are also reached through the tuple: loop state from one iteration to the next.
    if (module_.instruction(root.operands[0]).opcode == Opcode::kGetTupleElement) return false;
    return std::ranges::all_of(module_.users(root.operands[0]), [&](InstrId reader) {
      auto found = memberships_.find(reader);
      return found != memberships_.end() && found->second.size() == 1 && found->second[0].cluster == cluster;
    });
  }

  Demand DemandAt(InstrId id, InstrId user, size_t number, const Membership& of_user, bool is_scalar) {
    const Instruction& instruction = module_.instruction(user);
    double own_elements = static_cast<double>(module_.shape(id).element_count());
    if (instruction.opcode == Opcode::kDynamicUpdateSlice) {
      return {{{is_scalar ? kScalarMap : kRootMap, own_elements}}, true};
    }
    if (instruction.opcode == Opcode::kReduce) {
      // One that is finished inside walks over its operand in a loop of its own.
      bool is_root = IsRootOf(user, of_user.cluster);
      bool is_array = number < instruction.operands.size() / 2;
      if (is_array && !is_root && of_user.demand.reads[0].index_map == kRowMap) {
        whole_rows_.insert(next_map_);
        return {{{next_map_++, own_elements}}, false};
      }
      return {{{is_scalar ? kScalarMap : is_root ? kRootMap : next_map_++, own_elements}}, is_root && is_array};
    }
    if (is_scalar) return {{{kScalarMap, of_user.demand.elements()}}, false};
    Demand demand = of_user.demand;
    if (ir::IsElementwise(instruction.opcode)) return demand;
    if (instruction.opcode == Opcode::kBitcastConvert) {
      // A byte is made from all of the elements that it holds.
      const double ratio = own_elements / std::max(1.0, static_cast<double>(instruction.shape.element_count()));
      for (Demand::Reads& reads : demand.reads) reads.elements *= std::max(1.0, ratio);
      return demand;
    }
    if (instruction.opcode == Opcode::kReshape && SameIndex(module_.shape(id), instruction.shape)) return demand;
    if (IsSpreadOverRows(id, instruction, of_user)) return {{{kRowMap, own_elements}}, false};
    if (instruction.opcode != Opcode::kReshape) demand.aligned = false;
    double share = 1;
    if (instruction.opcode == Opcode::kConcatenate) {
      share = own_elements / std::max(1.0, static_cast<double>(instruction.shape.element_count()));
    }
    if (instruction.opcode == Opcode::kGather) {
      share = static_cast<double>(instruction.As<ir::GatherAttributes>().start_index_map.size());
    }
    const std::optional<ir::Dimensions> kept = DimensionsOfRootKept(instruction, of_user);
    for (Demand::Reads& reads : demand.reads) {
      reads.index_map = kept ? ProjectionMap(of_user.cluster, *kept) : next_map_++;
      reads.elements *= share;
    }
    return demand;
  }

  // The dimensions of the root's index that name an operand's element, one by one: those that a broadcast does not repeat, and those
  // of a gather's result that number its index vectors of one.
  std::optional<ir::Dimensions> DimensionsOfRootKept(const Instruction& member, const Membership& membership) const {
    const bool is_like_root =
        member.shape.dimensions == module_.shape(clusters_[membership.cluster].cluster.root).dimensions;
    if (!is_like_root || membership.demand.reads.size() != 1 || membership.demand.reads[0].index_map != kRootMap)
      return std::nullopt;
    if (member.opcode == Opcode::kBroadcast) {
      const ir::Dimensions& kept = member.As<ir::DimensionsAttributes>().dimensions;
      return std::ranges::is_sorted(kept) ? std::optional(kept) : std::nullopt;
    }
    if (member.opcode != Opcode::kGather) return std::nullopt;
    const auto& gather = member.As<ir::GatherAttributes>();
    if (gather.start_index_map.size() != 1) return std::nullopt;
    ir::Dimensions kept;
    for (int64_t dim = 0; dim < member.shape.rank(); ++dim) {
      if (std::ranges::count(gather.offset_dims, dim) == 0) kept.push_back(dim);
    }
    return kept;
  }

  int64_t ProjectionMap(size_t cluster, const ir::Dimensions& kept) {
    const auto [entry, is_new] = projection_maps_.try_emplace({cluster, kept}, next_map_);
    next_map_ += is_new ? 1 : 0;
    return entry->second;
  }

  // A broadcast of one element per row of the cluster's result, asked for at whole rows.
  bool IsSpreadOverRows(InstrId id, const Instruction& broadcast, const Membership& of_user) const {
    const InstrId root = clusters_[of_user.cluster].cluster.root;
    const Opcode made_by = module_.instruction(root).opcode;
    if (broadcast.opcode != Opcode::kBroadcast || made_by == Opcode::kDynamicUpdateSlice || made_by == Opcode::kReduce)
      return false;
    const ir::Dimensions& dimensions = broadcast.As<ir::DimensionsAttributes>().dimensions;
    return std::ranges::is_sorted(dimensions) && SameIndex(broadcast.shape, module_.shape(root)) &&
           IsWithoutLast(module_.shape(id), broadcast.shape) && IsLongRow(broadcast.shape) &&
           std::ranges::count(dimensions, broadcast.shape.rank() - 1) == 0 &&
           std::ranges::all_of(of_user.demand.reads, [&](const Demand::Reads& reads) {
             return reads.index_map == kRootMap || whole_rows_.contains(reads.index_map);
           });
  }

  static bool IsLongRow(const ir::Shape& rows) { return rows.dimensions.back() >= kShortestRow; }

  void StartCluster(InstrId id) {
    // A reduction runs over what it reads, an update over what it writes.
    Opcode opcode = module_.instruction(id).opcode;
    InstrId over = opcode == Opcode::kReduce               ? module_.operand(id, 0)
                   : opcode == Opcode::kDynamicUpdateSlice ? module_.operand(id, 1)
                                                           : id;
    double loop = static_cast<double>(module_.shape(over).element_count());
    double elements = module_.shape(id).is_array() ? static_cast<double>(module_.shape(id).element_count()) : loop;
    memberships_[id] = {{clusters_.size(), Demand{{{kRootMap, elements}}, true}}};
    clusters_.push_back({.cluster = {id, {id}}, .elements = loop});
  }

  void Join(InstrId id, Membership membership) {
    Growing& growing = clusters_[membership.cluster];
    growing.cluster.members.push_back(id);
    if (module_.instruction(id).opcode != Opcode::kConstant) ++growing.counted;
    if (!IsFree(module_, id)) {
      ++growing.work;
      growing.repeats += RepeatedElements(id, membership.demand);
    }
    memberships_[id].push_back(std::move(membership));
  }

  // --- may it join?

  bool MayJoin(InstrId id, const Membership& membership) {
    const Growing& growing = clusters_[membership.cluster];
    const Demand& demand = membership.demand;
    if (growing.work >= kMaxWork || demand.reads.size() > kMaxIndices) return false;
    double repeated = RepeatedElements(id, demand);
    if (repeated > 0 && IsExpensive(module_.instruction(id).opcode)) return false;
    if (growing.repeats + repeated > kMaxRepeats * growing.elements + kLoopRepeats) return false;
    return KeepsUpdateInPlace(id, membership) && KeepsResultInPlace(id, membership) &&
           KeepsArcsOpen(id, membership.cluster);
  }

  // How many elements the cluster would compute more than once. Reading an array elsewhere computes nothing; one element is
  // computed once, before the loop, unless it is dear: then nobody should rely on that.
  double RepeatedElements(InstrId id, const Demand& demand) const {
    Opcode opcode = module_.instruction(id).opcode;
    bool computes = ir::IsElementwise(opcode) || opcode == Opcode::kBitcastConvert || opcode == Opcode::kGather;
    if (!computes || (module_.shape(id).element_count() == 1 && !IsExpensive(opcode))) return 0;
    return std::max(0.0, demand.elements() - static_cast<double>(module_.shape(id).element_count()));
  }

  // Inside the cluster of an update the updated array is read only where, and just before, it is overwritten.
  bool KeepsUpdateInPlace(InstrId id, const Membership& membership) const {
    const Instruction& root = module_.instruction(clusters_[membership.cluster].cluster.root);
    if (root.opcode != Opcode::kDynamicUpdateSlice) return true;
    const Origin target = OriginOf(module_, root.operands[0]);
    const std::vector<InstrId>& operands = module_.instruction(id).operands;
    bool reads_target = std::ranges::any_of(operands, [&](InstrId operand) {
      return module_.shape(operand).is_array() && OriginOf(module_, operand) == target;
    });
    return !reads_target || (membership.demand.aligned && IsWrittenWindow(module_.instruction(id), root));
  }

  bool IsWrittenWindow(const Instruction& reader, const Instruction& update) const {
    if (reader.operands[0] != update.operands[0]) return false;
    if (reader.shape.dimensions != module_.shape(update.operands[1]).dimensions) return false;
    if (reader.opcode == Opcode::kDynamicSlice) {
      return std::equal(reader.operands.begin() + 1, reader.operands.end(), update.operands.begin() + 2,
                        update.operands.end());
    }
    return reader.opcode == Opcode::kSlice && StartsAt(update, reader.As<ir::SliceAttributes>());
  }

  bool StartsAt(const Instruction& update, const ir::SliceAttributes& window) const {
    for (size_t dim = 0; dim < window.starts.size(); ++dim) {
      const Instruction& start = module_.instruction(update.operands[2 + dim]);
      if (window.strides[dim] != 1 || start.opcode != Opcode::kConstant) return false;
      const ir::Literal& literal = start.As<ir::Literal>();
      int64_t last = update.shape.dimensions[dim] - module_.shape(update.operands[1]).dimensions[dim];
      if (literal.elided() || std::clamp<int64_t>(literal.AsInteger(0), 0, last) != window.starts[dim]) return false;
    }
    return true;
  }

  // An elementwise result may be built in an operand's memory. Reading a small other part of that operand in the same loop
  // would forbid it, while storing the small part costs little.
  bool KeepsResultInPlace(InstrId id, const Membership& membership) const {
    const Instruction& instruction = module_.instruction(id);
    if (ir::IsElementwise(instruction.opcode) || instruction.operands.empty()) return true;
    // MayBeFinished has looked at what it reads.
    if (instruction.opcode == Opcode::kReduce) return true;
    const Cluster& cluster = clusters_[membership.cluster].cluster;
    const ir::Shape& result = module_.shape(cluster.root);
    const ir::Shape& operand = module_.shape(instruction.operands[0]);
    if (!(operand == result) || 2 * instruction.shape.element_count() > operand.element_count()) return true;
    const Origin origin = OriginOf(module_, instruction.operands[0]);
    return std::ranges::none_of(cluster.members, [&](InstrId member) {
      const Instruction& other = module_.instruction(member);
      return ir::IsElementwise(other.opcode) && std::ranges::any_of(other.operands, [&](InstrId other_operand) {
               return module_.shape(other_operand) == result && OriginOf(module_, other_operand) == origin;
             });
    });
  }

  // --- arcs

  bool KeepsArcsOpen(InstrId id, size_t cluster) {
    std::vector<InstrId> overwriters = arcs_.OverwritersAfter(id);
    const InstrId root = clusters_[cluster].cluster.root;
    // Its own update is looked at by KeepsUpdateInPlace.
    std::erase(overwriters, root);
    return overwriters.empty() || !Reaches(overwriters, cluster);
  }

  // True when some member of the cluster must run after one of `starts`, or when that could not be found out in time.
  bool Reaches(const std::vector<InstrId>& starts, size_t cluster) {
    std::unordered_set<InstrId> seen;
    std::vector<InstrId> open;
    auto push = [&](InstrId id) {
      if (seen.insert(id).second) open.push_back(id);
    };
    for (InstrId start : starts) push(start);
    while (!open.empty()) {
      if (seen.size() > kMaxVisits || --visits_left_ < 0) return true;
      InstrId id = open.back();
      open.pop_back();
      auto found = memberships_.find(id);
      if (found != memberships_.end()) {
        for (const Membership& membership : found->second) {
          if (membership.cluster == cluster) return true;
          // Whoever enters a loop waits for all of it, and it reads all that its members read.
          const Cluster& entered = clusters_[membership.cluster].cluster;
          push(entered.root);
          for (InstrId member : entered.members) {
            for (InstrId overwriter : arcs_.OverwritersAfter(member)) push(overwriter);
          }
        }
      } else {
        for (InstrId overwriter : arcs_.OverwritersAfter(id)) push(overwriter);
      }
      for (InstrId user : module_.users(id)) push(user);
      for (InstrId successor : module_.control_successors(id)) push(successor);
    }
    return false;
  }
};

}  // namespace

std::vector<Cluster> FindClusters(const ir::Module& module, ir::ComputationId computation) {
  return ClusterFinder(module, computation).Run();
}

}  // namespace stead::passes
