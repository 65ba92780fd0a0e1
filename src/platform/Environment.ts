// Environment: the variables that an invocation may read, down to its reviewers.
// Nothing reads the variables of the process itself: without a provided environment there are no variables.
import { Config, ConfigProvider, Context, Effect, Schema } from "effect"
import { exits } from "./Failure.ts"
import { brief } from "../text/Untrusted.ts"
import { SystemFault, systemFaultText } from "./SystemFault.ts"

/** Variables by their names, such as `process.env`. */
export type Variables = Readonly<Record<string, string | undefined>>

/** The environment of an invocation, empty unless the caller provides one. Child processes get exactly this. */
export const Environment = Context.Reference<Variables>("ooda-codex-review/services/Environment", {
  defaultValue: () => ({})
})

// These variables lead git to one repository, whatever its working directory.
const ofRepository: ReadonlyArray<string> = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
  "GIT_SHALLOW_FILE",
  "GIT_GRAFT_FILE",
  "GIT_IMPLICIT_WORK_TREE"
]

/** An environment in which git works on the repository of the directory that it is called in. */
export const withoutRepository = (variables: Variables): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !ofRepository.includes(name)))

/** An environment for processes that handle reviewers on this machine, without the address of a store. */
export const withoutStore = ({ OODA_STORE: _, ...others }: Variables): Variables => others

/**
 * An environment for work in the files of strangers: programs are found only in absolute directories of PATH. An empty
 * or a relative entry would mean a directory of the strangers.
 */
export const withRootedPath = ({ PATH = "", ...others }: Variables): Variables => {
  const rooted = PATH.split(":").filter((one) => one.startsWith("/")).join(":")
  // An empty PATH would mean their directory too. Without the variable, the system's own default applies.
  return rooted === "" ? others : { ...others, PATH: rooted }
}

/**
 * The caller's PATH. The PATH of `Environment` has no directories of the worktree, so that neither this program nor
 * codex runs what an agent or a change put there. Undefined if a host provides none: then both are the same.
 */
export const CallersPath = Context.Reference<string | undefined>("ooda-codex-review/services/CallersPath", {
  defaultValue: () => undefined
})

/**
 * The user's umask, in the form of `umask`; null if this process still has it itself and keeps nothing private by it.
 */
export const UsersUmask = Context.Reference<string | null>("ooda-codex-review/platform/UsersUmask", {
  defaultValue: () => null
})

/** Variables for what belongs to the caller, such as tests: PATH is the caller's. */
export const withCallersPath = (variables: Variables): Effect.Effect<Variables> =>
  Effect.map(CallersPath, (PATH) => PATH === undefined ? variables : { ...variables, PATH })

/** The text of one variable, or null if it is unset or empty. */
export const variable = Effect.fnUntraced(function*(name: string) {
  const provider = ConfigProvider.fromEnvRecord(yield* Environment)
  // Reading a text cannot fail, because every text is valid.
  return yield* Effect.orDie(Config.withDefault(Config.String(name), null).parse(provider))
})

const Reason = Schema.Union([
  Schema.TaggedStruct("NoDirectory", {}),
  Schema.TaggedStruct("BadInterval", { text: Schema.String }),
  Schema.TaggedStruct("BadLogLevel", { text: Schema.String, expected: Schema.String }),
  Schema.TaggedStruct("LogFileUnusable", { path: Schema.String, fault: SystemFault }),
  Schema.TaggedStruct("LogFileReviewed", { path: Schema.String })
])

// The system's reasons in words, without the path, which is in the message.
const ofPaths: Readonly<Record<string, string>> = {
  ENOENT: "its directory does not exist",
  ENOTDIR: "a part of its path is not a directory",
  EISDIR: "it is a directory",
  ENXIO: "no process reads it",
  ENAMETOOLONG: "its name is too long",
  ELOOP: "its links lead in a circle"
}

const faultText = (fault: SystemFault): string => {
  const words = fault._tag === "SystemRefused" ? ofPaths[fault.code ?? ""] : undefined
  return words ?? systemFaultText(fault)
}

const text = (reason: typeof Reason.Type): string => {
  switch (reason._tag) {
    case "NoDirectory":
      return "the current directory does not exist any more [change to the repository to review]"
    case "BadInterval":
      return `OODA_AWAIT_SECS must be a number of seconds from 0 to 86400, not "${brief(reason.text, 80)}"`
    case "BadLogLevel":
      return `OODA_LOG_LEVEL "${brief(reason.text, 80)}": ${reason.expected}`
    case "LogFileUnusable":
      return `the log file ${brief(reason.path, 300)} cannot be written: ${faultText(reason.fault)} ` +
        "[name another with --log-file or OODA_LOG_FILE]"
    case "LogFileReviewed":
      return `the log file ${brief(reason.path, 300)} would change the code under review with every entry; ` +
        "name a file outside the worktree, or one that git ignores"
  }
}

/** The current directory is gone, a variable has no usable value, or the log file cannot be used. */
export class BadEnvironment extends Schema.TaggedError<BadEnvironment>()("BadEnvironment", { reason: Reason }) {
  readonly exitCode = exits.couldNot
  override get message() {
    return text(this.reason)
  }
}

/** Variables that make codex colour its transcript or fill it with debug lines, so that it cannot be read reliably. */
export const codexNoise: ReadonlyArray<string> = ["FORCE_COLOR", "CLICOLOR_FORCE", "RUST_LOG", "RUST_BACKTRACE"]
