import { expect, test } from 'vitest'
import { readTarget } from './target.ts'
import { verbOf } from './verb.ts'

const nests = '/apis/demo.aviary.dev/v1alpha1/namespaces/wood/nests'

test.each([
  ['GET', `${nests}/a`, 'get'],
  ['HEAD', `${nests}/a`, 'get'],
  ['GET', nests, 'list'],
  ['GET', `${nests}?watch=1`, 'watch'],
  ['GET', `${nests}?watch=false`, 'list'],
  ['POST', nests, 'create'],
  ['PUT', `${nests}/a`, 'update'],
  ['PATCH', `${nests}/a/status`, 'patch'],
  ['DELETE', `${nests}/a`, 'delete'],
  ['DELETE', nests, 'deletecollection'],
  ['OPTIONS', nests, 'options'],
  ['GET', '/version', 'get'],
  ['POST', '/version', 'post'],
])('%s %s is to %s', (method, url, verb) => {
  const [path, query] = url.split('?')
  expect(verbOf(method, readTarget(path!).resource, new URLSearchParams(query))).toBe(verb)
})
