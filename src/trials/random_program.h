// Random HLO programs for tests: valid, sure to end, and over integers, so that every right compiler gives the same bits.
//   seed -> module as text. The same seed gives the same text on every machine.
//   Straight-line code with windows, scatters, reductions and reshapes; loops with several carries, exchanged, passed through,
//   read and written at the counter, nested; conditionals, calls, fusions, barriers, control edges; parameters donated in every
//   way. Arrays are small, but every element differs, so that a stale or misplaced one shows.
#pragma once

#include <cstdint>
#include <string>

namespace stead::trials {

struct ProgramOptions {
  int statements = 9;   // of the entry, at most
  int depth = 2;        // loops, branches and calls inside one another
  bool calls = true;    // the planner alone takes none
  bool demands = true;  // must-alias
  int least_trips = 0;  // of a loop
};

std::string RandomProgram(uint64_t seed, const ProgramOptions& options);

}  // namespace stead::trials
