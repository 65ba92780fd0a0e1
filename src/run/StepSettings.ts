// StepSettings: the definitions of all settings of a step, in the order in which their values are checked.
import { defaultIdentityTimeout } from "../platform/GitTimeout.ts"
import { type Setting, type SettingsCommand, upToAWeek } from "./Setting.ts"

const inStep: ReadonlyArray<SettingsCommand> = ["step"]
const inRuns: ReadonlyArray<SettingsCommand> = ["step", "converge", "implement"]
const inAll: ReadonlyArray<SettingsCommand> = ["step", "converge", "implement", "ci"]

/** The most iterations of one call by default. */
export const defaultIterations = 50

export const stepSettings = {
  floor: {
    flag: "--level",
    metavar: "LVL",
    kind: "level",
    default: "low",
    text: "Floor: low, medium, high or xhigh. Part of the resume key: repeat it on every call.",
    group: "Ladder",
    commands: inRuns
  },
  ceiling: {
    flag: "--ceiling",
    metavar: "LVL",
    kind: "level",
    default: "xhigh",
    text: "Highest level, not below --level: reviews that are all clean there end the climb.",
    group: "Ladder",
    commands: inRuns
  },
  batchSize: {
    flag: "-n",
    metavar: "N",
    kind: "count",
    bounds: { least: 1, most: 256 },
    default: 3,
    text: "Reviews in parallel.",
    group: "Loop",
    commands: inAll,
    between: "greater"
  },
  maxIter: {
    flag: "--max-iter",
    metavar: "N",
    kind: "count",
    bounds: { least: 1, most: 1_000_000 },
    otherwise: `${defaultIterations}, not counting waits for reviewers`,
    text: "Stop a call after this many iterations.",
    group: "Loop",
    commands: inStep
  },
  stateRoot: {
    flag: "--state-root",
    metavar: "PATH",
    kind: "path",
    otherwise:
      "$OODA_STATE_ROOT, else ooda-codex-review in $XDG_STATE_HOME or, for a step without --strict, in $TMPDIR",
    text: "Where runs are kept.",
    group: "State",
    commands: inAll,
    files: "own"
  },
  trustStateRoot: {
    flag: "--trust-state-root",
    kind: "switch",
    default: false,
    text: "Use the state root even if other users own or can write to one of its directories.",
    group: "State",
    commands: inAll,
    files: "none"
  },
  codexBin: {
    flag: "--codex-bin",
    metavar: "PATH",
    kind: "path",
    default: "codex",
    text: "The codex program; a name without a slash is searched on PATH.",
    group: "Reviewers",
    commands: inAll,
    files: "own"
  },
  strictTarget: {
    flag: "--strict-target",
    kind: "switch",
    default: false,
    text: "Fail (6) on a base or commit that does not resolve and on a target with nothing to review.",
    group: "Loop",
    commands: inStep
  },
  strict: {
    flag: "--strict",
    kind: "switch",
    default: false,
    text: "Prove the fixed point: every level clean on the present code, each mark answering a hand-off. " +
      "Includes --strict-target; repeat it on every call.",
    group: "Loop",
    commands: inStep
  },
  isolate: {
    flag: "--isolate",
    kind: "switch",
    default: false,
    text: "Review a frozen copy of the code, so that later edits disturb no reviewer. --strict includes it.",
    group: "Loop",
    commands: inRuns
  },
  link: {
    flag: "--link",
    metavar: "PATTERN",
    kind: "patterns",
    default: [],
    text:
      "Ignored files to link into that copy, in place of node_modules, .venv and vendor at its top: patterns separated by " +
      "commas, or none.",
    group: "Loop",
    commands: inRuns
  },
  block: {
    flag: "--block",
    metavar: "PRIO",
    kind: "priority",
    implied: "P3",
    between: "greater",
    text: "Lowest priority that blocks, P0 to P3.",
    inStep: "Needs --strict; repeat it on every call, marks too.",
    group: "Loop",
    commands: inRuns
  },
  trustFrom: {
    flag: "--trust-from",
    metavar: "REF",
    kind: "revision",
    text: "Take dismissals from REF alone; give it each call.",
    group: "Loop",
    commands: ["step", "converge"],
    files: "none"
  },
  retries: {
    flag: "--retries",
    metavar: "N",
    kind: "count",
    bounds: { least: 0, most: 100 },
    default: 2,
    text: "Retries of a reviewer after a transient failure.",
    group: "Reviewers",
    commands: inAll,
    between: "smaller"
  },
  reviewTimeout: {
    flag: "--review-timeout",
    metavar: "DUR",
    kind: "duration",
    bounds: upToAWeek,
    default: 60 * 60_000,
    text: "Time limit for one review.",
    group: "Reviewers",
    commands: inAll
  },
  idleTimeout: {
    flag: "--idle-timeout",
    metavar: "DUR",
    kind: "duration",
    bounds: upToAWeek,
    default: 20 * 60_000,
    text: "Time limit for a review without progress.",
    group: "Reviewers",
    commands: inAll
  },
  identityTimeout: {
    flag: "--identity-timeout",
    metavar: "DUR",
    kind: "duration",
    bounds: upToAWeek,
    default: defaultIdentityTimeout,
    text: "Time limit for finding out what there is to review.",
    group: "Loop",
    commands: inRuns
  },
  stepTimeout: {
    flag: "--step-timeout",
    metavar: "DUR",
    kind: "duration",
    bounds: upToAWeek,
    otherwise: "off",
    text: "End a call that only waits with Idle (7) after DUR, such as 8m.",
    group: "Loop",
    commands: inStep
  },
  maxBatches: {
    flag: "--max-batches",
    metavar: "N",
    kind: "count",
    bounds: { least: 1, most: 1_000_000 },
    otherwise: "off",
    text: "Stop a run after this many batches.",
    group: "Loop",
    between: "smaller",
    commands: inAll
  },
  jobs: {
    flag: "--jobs",
    metavar: "N",
    kind: "count",
    bounds: { least: 1, most: 256 },
    otherwise: "all of -n",
    text: "Reviewers that run at once.",
    group: "Reviewers",
    commands: inAll
  },
  expectHead: {
    flag: "--expect-head",
    metavar: "SEQ:HASH",
    kind: "head",
    bounds: { least: 0, most: 999_999_999_999_999 },
    text: "Fail (6) unless the run's log ends in this commit; --json prints it.",
    group: "State",
    commands: inStep
  }
} as const satisfies Record<string, Setting>
