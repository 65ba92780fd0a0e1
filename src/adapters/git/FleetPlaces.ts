// FleetPlaces: where what a fleet knows of a submission lies below the work path, the same on every machine.
// The one rule: two submissions that show reviewers different things never share a tree.
import { repoIdOf, repoName, type Submission } from "../../core/fleet/Submission.ts"
import { sha256 } from "../../core/text/Sha256.ts"

/**
 * The places of a submission's repository and of its working tree. `worktree` is where the run of its pull request is
 * said to work, whatever head is reviewed: nothing needs to be there.
 */
export const placesOf = (
  { base, branch, head, pr, repo }: Submission
): { readonly mirror: string; readonly tree: string; readonly worktree: string } => {
  const id = repoIdOf(repo)
  // The name of a branch may hold slashes, and be longer than a name of a file.
  const pinned = `${head}-${base}-${sha256(branch).slice(0, 12)}`
  return {
    mirror: `mirrors/${id}`,
    tree: `trees/${id}/${pr}/${pinned}/${repoName(repo)}`,
    worktree: `pulls/${id}/${pr}/${repoName(repo)}`
  }
}
