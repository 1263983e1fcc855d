// Breaks a right plan in one place, to see whether the checker notices.
//   Damage to memory and order may or may not change what is computed: the replay says. Damage to the books (records, bounds,
//   donations) changes nothing that is computed and is always wrong.
#pragma once

#include <cstdint>
#include <random>
#include <span>

#include "inplace/plan.h"

namespace stead::trials {

struct Damage {
  const char* name;
  // Damages the plan; false, and nothing changed, when it has nothing of that kind.
  bool (*apply)(inplace::BufferPlan& plan, std::mt19937_64& random);
};

// Of places, pointers and orders.
std::span<const Damage> DamageToMemory();

// Of what the plan says about itself.
std::span<const Damage> DamageToBooks();

}  // namespace stead::trials
