// guard.c - Calling libraries in C++ from C.
//
// The unwinder walks up the stack twice: to find a frame whose personality
// wants the exception, and to go there. The personality of guarded_call wants
// every exception, and goes on behind the call. It is told of its guard by the
// calling thread, and talks to the unwinder of the library, whose functions are
// looked up: a program in C need not have one.
#include "base/guard.h"

#include <string.h>
#include <unwind.h>

#include "base/compiler.h"

#if defined(__x86_64__) && defined(__ELF__)
#define HAS_GUARD 1
// Calls |fn| and returns NULL, or the exception that ended it.
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".hidden berth_guarded_call\n"
    ".globl berth_guarded_call\n"
    ".type berth_guarded_call, @function\n"
    "berth_guarded_call:\n"
    ".cfi_startproc\n"
    ".cfi_personality 0x1b, berth_guard_personality\n"
    "endbr64\n"
    "push %rbp\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset %rbp, -16\n"
    "mov %rsp, %rbp\n"
    ".cfi_def_cfa_register %rbp\n"
    "mov %rdi, %rax\n"
    "mov %rsi, %rdi\n"
    "call *%rax\n"
    "xor %eax, %eax\n"
    ".hidden berth_guard_landing\n"
    ".globl berth_guard_landing\n"
    "berth_guard_landing:\n"  // With the exception in rax.
    "endbr64\n"
    "pop %rbp\n"
    ".cfi_def_cfa %rsp, 8\n"
    "ret\n"
    ".cfi_endproc\n"
    ".size berth_guarded_call, . - berth_guarded_call\n");
#elif defined(__aarch64__) && defined(__ELF__)
#define HAS_GUARD 1
__asm__(
    ".text\n"
    ".p2align 4\n"
    ".hidden berth_guarded_call\n"
    ".globl berth_guarded_call\n"
    ".type berth_guarded_call, %function\n"
    "berth_guarded_call:\n"
    ".cfi_startproc\n"
    ".cfi_personality 0x1b, berth_guard_personality\n"
    "stp x29, x30, [sp, #-16]!\n"
    ".cfi_def_cfa_offset 16\n"
    ".cfi_offset 29, -16\n"
    ".cfi_offset 30, -8\n"
    "mov x29, sp\n"
    "mov x2, x0\n"
    "mov x0, x1\n"
    "blr x2\n"
    "mov x0, #0\n"
    ".hidden berth_guard_landing\n"
    ".globl berth_guard_landing\n"
    "berth_guard_landing:\n"  // With the exception in x0.
    "ldp x29, x30, [sp], #16\n"
    ".cfi_restore 29\n"
    ".cfi_restore 30\n"
    ".cfi_def_cfa_offset 0\n"
    "ret\n"
    ".cfi_endproc\n"
    ".size berth_guarded_call, . - berth_guarded_call\n");
#else
#define HAS_GUARD 0
#endif

#if HAS_GUARD

// A C++ exception; its class says so, whoever made the runtime.
#define CPLUSPLUS_CLASS ((uint64_t)0x432b2b00)  // "C++\0"

struct _Unwind_Exception *berth_guarded_call(void (*fn)(void *arg), void *arg);
extern const char berth_guard_landing[];
_Unwind_Reason_Code berth_guard_personality(int version, _Unwind_Action actions,
                                            _Unwind_Exception_Class class,
                                            struct _Unwind_Exception *exception,
                                            struct _Unwind_Context *context);

static BERTH_THREAD_LOCAL const berth_guard_t *current = NULL;

// Called by the unwinder for berth_guarded_call; hidden, but known to it.
__attribute__((used, visibility("hidden"))) _Unwind_Reason_Code
berth_guard_personality(int version, _Unwind_Action actions,
                        _Unwind_Exception_Class class,
                        struct _Unwind_Exception *exception,
                        struct _Unwind_Context *context) {
  (void)class;
  // A thread that is being cancelled goes on to its end.
  if (version != 1 || (actions & _UA_FORCE_UNWIND) != 0 || current == NULL) {
    return _URC_CONTINUE_UNWIND;
  }
  if ((actions & _UA_SEARCH_PHASE) != 0) return _URC_HANDLER_FOUND;
  if ((actions & _UA_HANDLER_FRAME) == 0) return _URC_CONTINUE_UNWIND;
  current->set_register(context, __builtin_eh_return_data_regno(0),
                        (uintptr_t)exception);
  current->set_address(context, (uintptr_t)berth_guard_landing);
  return _URC_INSTALL_CONTEXT;
}

// Catches |exception| as C++ does, so that its runtime has nothing left over.
static void drop(const berth_guard_t *guard,
                 struct _Unwind_Exception *exception) {
  bool is_cplusplus =
      (exception->exception_class & 0xffffff00) == CPLUSPLUS_CLASS;
  if (is_cplusplus && guard->begin_catch != NULL) {
    (void)guard->begin_catch(exception);
    guard->end_catch();
  } else {
    guard->drop(exception);
  }
}

// Stores the address of |symbol|; one of a function does not convert in ISO C.
static bool find(berth_dynlib_t *lib, const char *symbol, void *out_function) {
  void *address = berth_dynlib_find(lib, symbol);
  memcpy(out_function, &address, sizeof(address));
  return address != NULL;
}

bool berth_guard_init(berth_guard_t *guard, berth_dynlib_t *lib) {
  if (!find(lib, "_Unwind_SetGR", &guard->set_register) ||
      !find(lib, "_Unwind_SetIP", &guard->set_address) ||
      !find(lib, "_Unwind_DeleteException", &guard->drop)) {
    return false;
  }
  if (!find(lib, "__cxa_begin_catch", &guard->begin_catch) ||
      !find(lib, "__cxa_end_catch", &guard->end_catch)) {
    guard->begin_catch = NULL;
  }
  return true;
}

bool berth_guard_call(const berth_guard_t *guard, void (*fn)(void *arg),
                      void *arg) {
  const berth_guard_t *before = current;
  current = guard;
  struct _Unwind_Exception *exception = berth_guarded_call(fn, arg);
  current = before;
  if (BERTH_LIKELY(exception == NULL)) return true;
  drop(guard, exception);
  return false;
}

#else

bool berth_guard_init(berth_guard_t *guard, berth_dynlib_t *lib) {
  (void)guard;
  (void)lib;
  return false;
}

bool berth_guard_call(const berth_guard_t *guard, void (*fn)(void *arg),
                      void *arg) {
  (void)guard;
  fn(arg);
  return true;
}

#endif
