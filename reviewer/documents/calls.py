"""System calls that a process which reads one file has no need of, by number.

Landlock limits what may be opened, made and removed, and says nothing of the rest: the
rights and owners of any file that can be named, the limits and priorities of other
processes of the same user, what outlasts the process, and doors into the kernel. Those are
refused here. Numbers are those of the kernel's own tables (`syscall_64.tbl` for x86_64,
`asm-generic/unistd.h` for aarch64); from 424 on they are the same everywhere.
"""

_EVERYWHERE = {
    "pidfd_send_signal": 424,
    "io_uring_setup": 425,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "pidfd_getfd": 438,
    "fchmodat2": 452,
    "setxattrat": 463,
    "removexattrat": 466,
    "file_setattr": 469,
}

REFUSED = {
    "x86_64": {
        **_EVERYWHERE,
        # Rights, owners, times and marks of files, wherever they are.
        "chmod": 90,
        "fchmod": 91,
        "fchmodat": 268,
        "chown": 92,
        "fchown": 93,
        "lchown": 94,
        "fchownat": 260,
        "setxattr": 188,
        "lsetxattr": 189,
        "fsetxattr": 190,
        "removexattr": 197,
        "lremovexattr": 198,
        "fremovexattr": 199,
        "utime": 132,
        "utimes": 235,
        "futimesat": 261,
        "utimensat": 280,
        # Leaving the group of processes that is ended together.
        "setpgid": 109,
        "setsid": 112,
        # Other processes of the same user.
        "ptrace": 101,
        "setpriority": 141,
        "sched_setparam": 142,
        "sched_setscheduler": 144,
        "sched_setaffinity": 203,
        "ioprio_set": 251,
        "process_vm_readv": 310,
        "process_vm_writev": 311,
        "sched_setattr": 314,
        # What outlasts the process.
        "shmget": 29,
        "semget": 64,
        "msgget": 68,
        "mq_open": 240,
        "add_key": 248,
        "request_key": 249,
        "keyctl": 250,
        # Doors into the kernel.
        "mount": 165,
        "unshare": 272,
        "perf_event_open": 298,
        "setns": 308,
        "bpf": 321,
        "userfaultfd": 323,
    },
    "aarch64": {
        **_EVERYWHERE,
        "setxattr": 5,
        "lsetxattr": 6,
        "fsetxattr": 7,
        "removexattr": 14,
        "lremovexattr": 15,
        "fremovexattr": 16,
        "ioprio_set": 30,
        "mount": 40,
        "fchmod": 52,
        "fchmodat": 53,
        "fchownat": 54,
        "fchown": 55,
        "utimensat": 88,
        "unshare": 97,
        "ptrace": 117,
        "sched_setparam": 118,
        "sched_setscheduler": 119,
        "sched_setaffinity": 122,
        "setpriority": 140,
        "setpgid": 154,
        "setsid": 157,
        "mq_open": 180,
        "msgget": 186,
        "semget": 190,
        "shmget": 194,
        "add_key": 217,
        "request_key": 218,
        "keyctl": 219,
        "perf_event_open": 241,
        "setns": 268,
        "process_vm_readv": 270,
        "process_vm_writev": 271,
        "sched_setattr": 274,
        "bpf": 280,
        "userfaultfd": 282,
    },
}

SOCKET = {"x86_64": 41, "aarch64": 198}
PRLIMIT = {"x86_64": 302, "aarch64": 261}
"""Allowed for the process itself alone: with another's number it changes what that one may."""
