// SafeGit.live: calls git so that nothing of the repository under review runs.
// A repository can name programs in its settings: filters, hooks, monitors, pagers, transports, a remote that supplies
// missing objects. So only questions that run none of them are asked of the user's repository: `rev-parse` without
// `^{…}`, `symbolic-ref`, `for-each-ref`, `config --get`. Everything else is asked of private repositories whose
// settings this program wrote, and which borrow the user's objects. Neither reads variables of the caller that begin
// with GIT_.
import { Effect } from "effect"
import { Environment, type Variables } from "../platform/Environment.ts"
import { exec, type ExecResult } from "../platform/Exec.ts"
import { gitFault, IdentityTimeout } from "../platform/GitCommand.ts"
import type { GitQuestion } from "../platform/GitComplaint.ts"
import { CodeFailed } from "./CodeFailed.ts"

const settings = [
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.splitIndex=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.alternateRefsCommand=true",
  "core.sshCommand=false",
  "core.askPass=",
  "core.gitProxy=",
  "core.checkStat=default",
  "core.trustctime=true",
  "core.safecrlf=false",
  "credential.helper=",
  "fetch.recurseSubmodules=false",
  "submodule.recurse=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "pack.writeReverseIndex=false",
  "log.showSignature=false",
  "protocol.allow=never"
].flatMap((setting) => ["-c", setting])

const kept = ["HOME", "XDG_CONFIG_HOME", "PATH", "TMPDIR"] as const
// Variables that say where a repository is; they count only for the question that finds it.
const placing = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_CEILING_DIRECTORIES",
  "GIT_DISCOVERY_ACROSS_FILESYSTEM"
] as const

const only = (names: ReadonlyArray<string>) => (variables: Variables): Variables =>
  Object.fromEntries(names.flatMap((name) => variables[name] === undefined ? [] : [[name, variables[name]]]))

const always = {
  LC_ALL: "C",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_ASKPASS: "",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS: ""
}

/** How git is called: with `input` in bytes (latin1), `accept`: exit codes that are answers, `into`: see `exec`. */
interface GitOptions {
  readonly input?: string
  readonly accept?: ReadonlyArray<number>
  readonly env?: Variables
  readonly into?: number
  /** Whether this process goes on meanwhile. */
  readonly beside?: boolean
  /** The path (latin1) of the user's index that the index of the call is a copy of. */
  readonly copyOf?: string
}

/** What git answered: its exit code, and its standard output with every byte as one character. */
interface GitAnswer {
  readonly code: number
  readonly out: string
}

/** The text of bytes that are held as one character each. */
export const utf8 = (latin1: string): string => Buffer.from(latin1, "latin1").toString()

const answered = (question: GitQuestion, accept: ReadonlyArray<number>) => (done: ExecResult) =>
  done.problem === null && done.code !== null && accept.includes(done.code)
    ? Effect.succeed<GitAnswer>({ code: done.code, out: done.stdout })
    : Effect.fail(
      new CodeFailed({
        reason: {
          _tag: "Git",
          what: question.args.find((one) => /^[a-z][a-z-]*$/.test(one)) ?? "git",
          fault: gitFault({ ...done, stderr: utf8(done.stderr) }, question)
        }
      })
    )

const call = (
  cwd: string,
  first: ReadonlyArray<string>,
  args: ReadonlyArray<string>,
  { accept = [0], beside = false, copyOf, env, input, into }: GitOptions,
  variables: ReadonlyArray<string>
) =>
  Effect.gen(function*() {
    const timeout = yield* IdentityTimeout
    const done = yield* exec("git", [...settings, ...first, ...args], {
      cwd,
      env: { ...always, ...env },
      timeout,
      encoding: "latin1",
      group: true,
      ...(input === undefined ? { instant: into === undefined && !beside } : { input }),
      ...(into === undefined ? {} : { into })
    })
    return yield* answered({ cwd, args, index: copyOf === undefined ? null : utf8(copyOf) }, accept)(done)
  }).pipe(Effect.updateService(Environment, only(variables)))

/** Asks where a repository is: `rev-parse`, with the variables of the caller that name one. */
export const locate = (cwd: string, args: ReadonlyArray<string>, options: GitOptions = {}) =>
  call(cwd, ["rev-parse"], args, options, [...kept, ...placing])

/** Asks the user's repository `symbolic-ref`, `for-each-ref`, `config --get…` or `rev-parse` without `^{…}`. */
export const theirs = (gitDirectory: string, args: ReadonlyArray<string>, options: GitOptions = {}) =>
  call("/", [`--git-dir=${gitDirectory}`], args, options, kept)

/** A repository that this program made; `worktree` and `index` if the command needs them. */
export interface Own {
  readonly gitDirectory: string
  readonly worktree?: string
  readonly index?: string
}

/** Calls git on a repository that this program made; only that repository's settings count. */
export const ours = (
  { gitDirectory, index, worktree }: Own,
  args: ReadonlyArray<string>,
  options: GitOptions = {}
) =>
  call(
    worktree ?? gitDirectory,
    [`--git-dir=${gitDirectory}`, ...(worktree === undefined ? [] : [`--work-tree=${worktree}`])],
    args,
    {
      ...options,
      env: {
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
        ...(index === undefined ? {} : { GIT_INDEX_FILE: index }),
        ...options.env
      }
    },
    kept
  )

/** The parts of an answer, each ended by a NUL byte. */
export const parts = (text: string): ReadonlyArray<string> => text.split("\0").filter((part) => part !== "")
