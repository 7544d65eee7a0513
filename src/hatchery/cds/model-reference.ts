import { ModelReferenceNotValid } from './errors.ts'

const defaultBranch = 'master'

/** The path in the API of the worker model that `PROJ/VCS/REPO…/MODEL[@branch]` names. Throws `ModelReferenceNotValid`. */
export function modelPath(reference: string): string {
  const at = reference.indexOf('@')
  const segments = (at === -1 ? reference : reference.slice(0, at)).split('/')
  const branch = (at === -1 ? '' : reference.slice(at + 1)) || defaultBranch
  if (segments.length < 4 || segments.some(each => each.trim() === '')) throw ModelReferenceNotValid({ reference })
  const [project, vcs, ...rest] = segments.map(each => each.trim()) as [string, string, ...string[]]
  const repository = rest.slice(0, -1).join('/')
  const parts = ['v2', 'project', project, 'vcs', vcs, 'repository', repository, 'workermodel', rest.at(-1) as string]
  return `/${parts.map(encodeURIComponent).join('/')}?branch=${encodeURIComponent(branch)}`
}
