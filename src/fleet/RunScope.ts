// RunScope: which runs of a store a call is about, and under which repository ids those of a clone may be.
import { canonicalUrl, repoIdOf, urlProblem } from "./Submission.ts"
import type { Target } from "../run/Target.ts"

/** A run by the beginning of its id, the newest of a repository or of a target, all of them, or nothing was said. */
export type RunScope =
  | { readonly _tag: "Newest" }
  | { readonly _tag: "Named"; readonly prefix: string }
  | { readonly _tag: "Latest"; readonly target: Target }
  | { readonly _tag: "All" }
  | { readonly _tag: "Unsaid" }

/** How a clone may name its repository, as the URL that is fetched from without any key. */
const overHttps = (origin: string): string => {
  const [, host, path] = /^(?:ssh:\/\/)?(?:[^@/:]+@)([^/:]+)(?::(?:\d+\/)?|\/)(.+)$/.exec(origin) ?? []
  if (host !== undefined && path !== undefined && !origin.startsWith("https:")) return `https://${host}/${path}`
  return origin.startsWith("/") ? `file://${origin}` : origin.replace(/^https:\/\/[^@/]*@/i, "https://")
}

/**
 * The ids under which the repository of a clone may have been submitted, by the URL of its origin, the most likely one
 * first. A URL with and without `.git` leads to one repository; whoever submitted it may have written the other.
 */
export const repoIdsOf = (origin: string): ReadonlyArray<string> => {
  const url = canonicalUrl(overHttps(origin))
  const other = url.endsWith(".git") ? url.slice(0, -".git".length) : `${url}.git`
  return [url, other].filter((one) => urlProblem(one) === null).map(repoIdOf)
}
