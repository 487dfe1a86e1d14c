/* cc -- a C compiler for programs under Wine: hands its arguments on to mingw-w64's, which is a program of the system
 * outside.
 *
 * Compiled by tools/check_windows.sh with DRIVE_C, where Wine's drive C: lies outside, and COMPILER. Wine starts
 * programs of the system outside but neither waits for them nor gives their status: a script leaves both in files
 * beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* One argument for a POSIX shell, C:\a or C:/a with the folder outside in the place of the drive. */
static void put(FILE* script, const char* word) {
  const char* drive = strstr(word, ":/");
  if (drive == NULL) drive = strstr(word, ":\\");
  const int is_path = drive != NULL && drive > word;
  fputs(" '", script);
  for (const char* c = word; *c != '\0'; ++c) {
    if (is_path && c == drive - 1) {
      if (*c == 'C' || *c == 'c') fputs(DRIVE_C, script);
      ++c; /* the colon; Z: is the root outside */
    } else if (*c == '\'') {
      fputs("'\\''", script);
    } else {
      fputc(is_path && *c == '\\' ? '/' : *c, script);
    }
  }
  fputc('\'', script);
}

static int show(const char* path) {
  char text[4096];
  size_t n;
  FILE* file = fopen(path, "rb");
  if (file == NULL) return 0;
  while ((n = fread(text, 1, sizeof text, file)) > 0) fwrite(text, 1, n, stdout);
  fclose(file);
  return 1;
}

int main(int argc, char** argv) {
  char base[MAX_PATH], script[MAX_PATH + 8], log[MAX_PATH + 8], done[MAX_PATH + 8], line[2 * MAX_PATH];
  snprintf(base, sizeof base, "C:\\cc-%lu-%lu", (unsigned long)GetCurrentProcessId(), (unsigned long)GetTickCount());
  snprintf(script, sizeof script, "%s.sh", base);
  snprintf(log, sizeof log, "%s.log", base);
  snprintf(done, sizeof done, "%s.done", base);
  FILE* file = fopen(script, "wb");
  if (file == NULL) return 3;
  fputs("unset CPATH C_INCLUDE_PATH LIBRARY_PATH; export PATH=/usr/bin:/bin\n" COMPILER, file);
  for (int i = 1; i < argc; ++i) put(file, argv[i]);
  fputs(" >", file);
  put(file, log);
  fputs(" 2>&1\necho $? >", file);
  put(file, base);
  fputs("\nmv", file);
  put(file, base);
  put(file, done);
  fputc('\n', file);
  fclose(file);

  snprintf(line, sizeof line, "sh %s/%s", DRIVE_C, script + 3);
  STARTUPINFOA start;
  PROCESS_INFORMATION process;
  memset(&start, 0, sizeof start);
  start.cb = sizeof start;
  if (!CreateProcessA("Z:\\bin\\sh", line, NULL, NULL, FALSE, 0, NULL, NULL, &start, &process)) {
    printf("Z:\\bin\\sh cannot be started: error %lu\n", (unsigned long)GetLastError());
    return 3;
  }
  int status = 3;
  for (int tenths = 0; tenths < 600; ++tenths) {
    if ((file = fopen(done, "r")) != NULL) {
      if (fscanf(file, "%d", &status) != 1) status = 3;
      fclose(file);
      break;
    }
    Sleep(100);
  }
  show(log);
  remove(script);
  remove(log);
  remove(done);
  return status;
}
