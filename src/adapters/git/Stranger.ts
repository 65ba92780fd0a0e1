// Stranger: git on a repository of strangers: nothing of this user's settings, and no program that anybody names.
// A token is in the variables of one fetch alone: never in arguments, never in a file.
import { Effect, Redacted } from "effect"
import { Environment, type Variables, withRootedPath } from "../../services/Environment.ts"
import { TreeFailed, type TreeReason } from "../../services/WorkingTrees.ts"
import { programFault } from "../process/Exec.ts"
import { git } from "./Command.ts"

/** A token for the repositories of one host; no other host is ever shown it. */
export interface Access {
  readonly host: string
  readonly token: Redacted.Redacted
}

// What leads to programs and to servers. Without HOME there is neither a file of passwords nor one of settings.
const kept = /^(PATH|TMPDIR|(https?|all|no)_proxy|GIT_SSL_CAINFO|SSL_CERT_(FILE|DIR))$/i

const settings: ReadonlyArray<readonly [string, string]> = [
  // A redirection may lead to a host inside.
  ["http.followRedirects", "false"],
  ["http.lowSpeedLimit", "1000"],
  ["http.lowSpeedTime", "60"],
  // A pack is put in place as a whole, or not at all.
  ["fetch.unpackLimit", "1"],
  ["fetch.recurseSubmodules", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["core.protectHFS", "true"],
  ["core.protectNTFS", "true"]
]

const header = ({ host, token }: Access): readonly [string, string] => [
  `http.https://${host}/.extraHeader`,
  `Authorization: Basic ${Buffer.from(`x-access-token:${Redacted.value(token)}`).toString("base64")}`
]

/** The variables that git gets, and no others. `repo` is the URL that is fetched, or null where none is. */
export const strangersVariables = (own: Variables, repo: string | null, access: Access | null): Variables => {
  const shown = access !== null && repo?.startsWith(`https://${access.host}/`) === true ? [header(access)] : []
  const set = [...settings, ...shown]
  return {
    ...Object.fromEntries(Object.entries(withRootedPath(own)).filter(([name]) => kept.test(name))),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_ALLOW_PROTOCOL: repo === null ? "" : repo.startsWith("file:") ? "file" : "https",
    GIT_CONFIG_COUNT: `${set.length}`,
    ...Object.fromEntries(
      set.flatMap(([key, value], i) => [[`GIT_CONFIG_KEY_${i}`, key], [`GIT_CONFIG_VALUE_${i}`, value]])
    )
  }
}

/**
 * Milliseconds that fetching from a repository may take. A first fetch of a large one begins from zero when it is cut
 * off.
 */
export const fetchPatience = 15 * 60_000

/** Runs git as for strangers. A fetch ends with this process, so that none outlives the worker that began it. */
export const askStranger = (
  cwd: string,
  args: ReadonlyArray<string>,
  fetched: { readonly repo: string; readonly access: Access | null } | null = null,
  input?: string
) =>
  Effect.updateService(
    git(
      cwd,
      args,
      {},
      fetched !== null
        ? { leash: true, timeout: fetchPatience }
        : input === undefined
        ? {}
        : { input, encoding: "latin1" }
    ),
    Environment,
    (own) => strangersVariables(own, fetched?.repo ?? null, fetched?.access ?? null)
  )

/** A failure at a path. */
export const failedAt = (path: string) => (reason: TreeReason): TreeFailed => new TreeFailed({ path, reason })

/** The answer of a command that must succeed, without its last newline. */
export const mustStranger = Effect.fnUntraced(function*(cwd: string, what: string, args: ReadonlyArray<string>) {
  const done = yield* askStranger(cwd, args)
  if (done.code === 0) return done.stdout.replace(/\n$/, "")
  return yield* failedAt(cwd)({ _tag: "GitRefused", what, fault: programFault("git", done) })
})
