import { expect, test } from 'vitest'
import { allKinds, isRowFor, referenceFields, referencePaths } from '../../src/kinds/index.ts'
import { textOf, typeScriptBelow } from './repository.ts'

test('every field that refers to an object has a row in the table of references', () => {
  const missing = allKinds.flatMap(kind =>
    referencePaths(kind)
      .filter(path => !referenceFields.some(row => row.kind === kind.name && isRowFor(row, path)))
      .map(path => `${kind.name} ${path}`),
  )
  expect(missing).toEqual([])
})

test('every row of the table of references is about a field that there is', () => {
  const stale = referenceFields.filter(row => {
    const kind = allKinds.find(({ name }) => name === row.kind)
    return kind === undefined || !referencePaths(kind).some(path => isRowFor(row, path))
  })
  expect(stale).toEqual([])
})

test('controllers read Secrets and ConfigMaps only through the table of references', () => {
  const reader = 'src/pools/secrets.ts'
  const services = typeScriptBelow('src/pools', 'src/hatchery', 'src/platform', 'src/vsphere').filter(
    path => !path.includes('.test.') && !path.includes('/testing/'),
  )
  const imports = /import \{[^}]*\b(Secret|ConfigMap)\b[^}]*\} from '(\.\.\/)+kinds\/index\.ts'/
  expect(services).toContain(reader)
  expect(services.filter(path => path !== reader && imports.test(textOf(path)))).toEqual([])
  expect(imports.test(textOf(reader))).toBe(true)
})

test('docs/security.md shows the table of references', () => {
  const page = textOf('docs/security.md')
  const unsaid = referenceFields.filter(({ kind, path }) => !page.includes(`| ${kind} | \`${path}\` |`))
  expect(unsaid).toEqual([])
})
