// RunScope: the runs of a store that a call refers to, and the repository ids that a clone may have.
import { canonicalUrl, repoIdOf, urlProblem } from "./Submission.ts"
import type { Target } from "../run/Target.ts"

/** A run by the beginning of its id, the newest of a repository or of a target, all of them, or nothing given. */
export type RunScope =
  | { readonly _tag: "Newest" }
  | { readonly _tag: "Named"; readonly prefix: string }
  | { readonly _tag: "Latest"; readonly target: Target }
  | { readonly _tag: "All" }
  | { readonly _tag: "Unsaid" }

/** The URL of a clone's repository without credentials. */
const overHttps = (origin: string): string => {
  const [, host, path] = /^(?:ssh:\/\/)?(?:[^@/:]+@)([^/:]+)(?::(?:\d+\/)?|\/)(.+)$/.exec(origin) ?? []
  if (host !== undefined && path !== undefined && !origin.startsWith("https:")) return `https://${host}/${path}`
  return origin.startsWith("/") ? `file://${origin}` : origin.replace(/^https:\/\/[^@/]*@/i, "https://")
}

/**
 * The ids under which the repository of a clone may have been submitted, by the URL of its origin, the most likely
 * first. A URL with and without `.git` names the same repository; the submitter may have written either.
 */
export const repoIdsOf = (origin: string): ReadonlyArray<string> => {
  const url = canonicalUrl(overHttps(origin))
  const other = url.endsWith(".git") ? url.slice(0, -".git".length) : `${url}.git`
  return [url, other].filter((one) => urlProblem(one) === null).map(repoIdOf)
}
