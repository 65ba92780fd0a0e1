// StoreReason: why a store of runs refused: a tagged reason in the errors of its port, and the words for people.
import { Schema } from "effect"
import { brief } from "../core/text/Untrusted.ts"
import { SystemFault, systemFaultText } from "./SystemFault.ts"

/** Why the store refused. */
export const StoreReason = Schema.Union([
  /** The operating system, a lock or a database refused. */
  SystemFault,
  /** The default state root is a symbolic link. */
  Schema.TaggedStruct("RootIsLink", {}),
  /** The state root is something else than a directory. */
  Schema.TaggedStruct("RootIsNoDirectory", {}),
  /** The state root is called .ooda, which holds the repository's own configuration. */
  Schema.TaggedStruct("RootReserved", {}),
  /** Git tracks a file in the state root, so the authors of the repository could have written what lies there. */
  Schema.TaggedStruct("RootTracked", { file: Schema.String }),
  /** Git could not say whether it tracks the state root. */
  Schema.TaggedStruct("RootUntold", { why: Schema.String }),
  /** A state root was named for a store in a database, which has none. */
  Schema.TaggedStruct("RootInDatabase", {}),
  /** A store in a database holds pull requests alone, and something else was named. */
  Schema.TaggedStruct("PullRequestOnly", {}),
  /** The pull request was not submitted to the store. */
  Schema.TaggedStruct("NotSubmitted", { number: Schema.Int }),
  /** No worker has looked at the pull request yet. */
  Schema.TaggedStruct("NotTakenUp", { number: Schema.Int }),
  /** The database server can lose in a crash what it has acknowledged. */
  Schema.TaggedStruct("NotDurable", { setting: Schema.String }),
  /** A newer version has set up the store. */
  Schema.TaggedStruct("StoreNewer", {}),
  /** The store gave this user its rights in an older version, or none. */
  Schema.TaggedStruct("RightMissing", {}),
  /** The fleet works below another path than the one that was named. */
  Schema.TaggedStruct("WorkRecorded", { work: Schema.String }),
  /** The store was set up without the path below which the fleet works. */
  Schema.TaggedStruct("WorkUnknown", {}),
  /** The store has no account of this name. */
  Schema.TaggedStruct("AccountUnknown", { name: Schema.String }),
  /** The database has no role of this name. */
  Schema.TaggedStruct("RoleUnknown", { name: Schema.String }),
  /** The directory to export into holds something. */
  Schema.TaggedStruct("NotEmpty", {}),
  /** A directory of the store belongs to another user. */
  Schema.TaggedStruct("OfAnotherUser", {}),
  /** Others can write into a directory of the store. */
  Schema.TaggedStruct("OpenToOthers", {}),
  /** The path to remove is no run of the store. */
  Schema.TaggedStruct("NotARun", {}),
  /** The path to remove leads through a link. */
  Schema.TaggedStruct("LinkOnTheWay", { link: Schema.String }),
  /** The path to remove leads through something that is no directory. */
  Schema.TaggedStruct("NoDirectoryOnTheWay", { at: Schema.String })
])
export type StoreReason = typeof StoreReason.Type

const orTrust = ", or trust what others put there with --trust-state-root"

// `FullDisk` tells what fills a disk and what to do. Faults other than a refused call name their own remedy.
const isFull = (fault: SystemFault): boolean =>
  fault._tag === "SystemRefused" && (fault.code === "ENOSPC" || fault.code === "EDQUOT")
const orElsewhere = " [mend this, or name another place with --state-root]"

/** Why the store refused, for people. */
export const storeReasonText = (reason: StoreReason): string => {
  switch (reason._tag) {
    case "RootIsLink":
      return "the default state root is a link; name a directory with --state-root"
    case "RootIsNoDirectory":
      return "the state root is not a directory; name one with --state-root"
    case "RootReserved":
      return "a directory called .ooda is never a state root itself; name one below it, such as .ooda/state"
    case "RootTracked":
      return `git tracks files of this state root (${reason.file}); name another directory with --state-root`
    case "RootUntold":
      return `git cannot tell whether it tracks this state root (${reason.why}); name another with --state-root`
    case "RootInDatabase":
      return "a store in a database has no state root [leave out --state-root]"
    case "PullRequestOnly":
      return "a store in a database holds pull requests [name one with --pr NUM, or a run by its id; " +
        "--state-root names a store of this machine]"
    case "NotSubmitted":
      return `pull request ${reason.number} of this repository was not submitted to it [ooda-codex-review fleet submit]`
    case "NotTakenUp":
      return `no worker has taken up pull request ${reason.number} yet [wait, or start a worker: fleet worker]`
    case "NotDurable":
      return `its server has ${reason.setting} off, so that a crash takes what was recorded [turn it on]`
    case "StoreNewer":
      return "it was set up by a newer version of ooda-codex-review [use that version here]"
    case "RightMissing":
      return "this user has no rights of this version [the owner of the store gives them: fleet init --writer USER]"
    case "WorkRecorded":
      return `this fleet works below ${brief(reason.work, 300)} on every machine; logs and findings hold that path ` +
        "[leave out --work]"
    case "WorkUnknown":
      return "a fleet is set up with the path on every machine below which it reviews [fleet init --work DIR]"
    case "AccountUnknown":
      return `there is no account ${brief(reason.name, 100)} [add it: fleet init --account NAME=CAP]`
    case "RoleUnknown":
      return `the database has no role ${brief(reason.name, 100)} [create role ... login, or name another]`
    case "NotEmpty":
      return "holds something already [name a directory that is new or empty]"
    case "OfAnotherUser":
      return `belongs to another user; name a directory of your own with --state-root${orTrust}`
    case "OpenToOthers":
      return `others can write into it; make it private (chmod 700)${orTrust}`
    case "NotARun":
      return "is no run of this state root; `ooda-codex-review runs` lists those that are"
    case "LinkOnTheWay":
      return `${reason.link} is a link; nothing that it leads to is removed`
    case "NoDirectoryOnTheWay":
      return `${reason.at} is not a directory; remove it, or name another state root`
    default:
      return systemFaultText(reason) + (isFull(reason) || reason._tag !== "SystemRefused" ? "" : orElsewhere)
  }
}
