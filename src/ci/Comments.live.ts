// Comments.live: the comment on a pull request, through the `gh` program.
// Anybody who can comment can write our marker, so only a comment of the expected author is ever replaced.
import { Effect, Layer, Result, Schema } from "effect"
import { type Comment, CommentFailed, Comments } from "./Comments.ts"
import { programFault } from "../platform/Exec.ts"
import { gh } from "../platform/GhCommand.ts"

const patience = 60_000

const Listed = Schema.fromJsonString(Schema.Struct({ id: Schema.Int, login: Schema.String, first: Schema.String }))
const decode = Schema.decodeUnknownResult(Listed)

// Only the first line of a comment is read.
const listed =
  '.[] | {id, login: (.user.login // ""), first: ((.body // "") | split("\\n")[0] // "" | rtrimstr("\\r"))}'

const api = Effect.fnUntraced(function*(number: number, cwd: string, ...args: ReadonlyArray<string>) {
  const done = yield* gh(["api", ...args], { cwd, isJob: true, timeout: patience })
  return done.code === 0 ? done.stdout : yield* new CommentFailed({ number, reason: programFault("gh", done) })
})

const put = Effect.fn("Comments.put")(function*({ author, file, marker, number, repository }: Comment, cwd: string) {
  const comments = `repos/${repository}/issues/${number}/comments`
  const lines = (yield* api(number, cwd, `${comments}?per_page=100`, "--paginate", "--jq", listed)).split("\n")
  const all = lines.filter((line) => line.trim() !== "").map((line) => decode(line))
  if (!all.every(Result.isSuccess)) return yield* new CommentFailed({ number, reason: { _tag: "Unreadable" } })
  const own = all.map(({ success }) => success).find(({ first, login }) => login === author && first === marker)
  const body = ["-F", `body=@${file}`, "--silent"]
  yield* own === undefined
    ? api(number, cwd, comments, "--method", "POST", ...body)
    : api(number, cwd, `repos/${repository}/issues/comments/${own.id}`, "--method", "PATCH", ...body)
  return own === undefined ? "created" as const : "updated" as const
})

/** The live layer. Needs the `gh` program and a token that may write on pull requests. */
export const layer = Layer.succeed(Comments, { put })
