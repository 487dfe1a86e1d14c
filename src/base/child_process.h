// child_process -- another program, run to its end, watched: no terminal, no words that a shell would read.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace openclPort {

struct ChildProcess {
  std::vector<std::string> command;                // the program by its full path, then its arguments as they are
  std::map<std::string, std::string> environment;  // all of it
  std::string output;                              // a file that takes what the program says
  double seconds = 300;                            // after which it is ended
};

// The program's exit status; below 0 where it could not be started or was ended, with the reason in `problem`. Throws
// Interrupted where the user interrupts (user_interrupts()). It is then ended with all that it started, as it is after
// its time, and, where the system has a way to do so, when this process ends in whatever way.
int run_child(const ChildProcess& child, std::string& problem);

// This process's own.
std::map<std::string, std::string> own_environment();

// Where PATH has a program of this name: only in folders that are given in full, belong to the system, to this user or
// to the owner of R_HOME, and are not open to everybody. A name with a folder is taken as it is, if that is given in
// full. "" if there is none.
std::string find_program(const std::string& name);

// PATH without the folders that find_program() would not look into.
std::string safe_path();

}  // namespace openclPort
