import { cellOf } from '../../kinds/index.ts'
import type { Column, Kind, Resource } from '../../kinds/index.ts'
import { qualified } from '../../store/index.ts'
import { forKubectl } from '../kubectl-yaml.ts'
import type { OutputForm } from './forms.ts'
import { Table } from './table.ts'

export interface PrintOptions {
  readonly form: OutputForm
  /** Whether objects of several namespaces are shown. */
  readonly allNamespaces: boolean
  /** Whether exactly one object was asked for. */
  readonly single: boolean
  /** Milliseconds since 1970. */
  readonly now: number
  readonly width: number | undefined
}

/** Objects of one kind as text. */
export async function objectsText(kind: Kind, objects: readonly Resource[], options: PrintOptions): Promise<string> {
  switch (options.form) {
    case 'name':
      return objects.map(object => `${nameText(kind, object.metadata.name)}\n`).join('')
    case 'json':
      return `${JSON.stringify(whole(objects, options.single), null, 2)}\n`
    case 'yaml': {
      const { stringify } = await import('yaml')
      return stringify(whole(objects, options.single), forKubectl)
    }
    case 'table':
    case 'wide':
      return objectTable(kind, options)(objects, options.now)
  }
}

/**
 * Objects as text that goes on, call by call: rows of one table, or the objects one after another, each as a document of its own, never as
 * a list: nobody knows yet what is in it.
 */
export function followedText(kind: Kind, options: PrintOptions): (objects: readonly Resource[], now: number) => Promise<string> {
  if (options.form === 'table' || options.form === 'wide') {
    const table = objectTable(kind, options)
    return async (objects, now) => table(objects, now)
  }
  let isFirst = true
  return async objects => {
    let text = ''
    for (const object of objects) {
      if (options.form === 'yaml' && !isFirst) text += '---\n'
      text += await objectsText(kind, [object], { ...options, single: true })
      isFirst = false
    }
    return text
  }
}

function objectTable(kind: Kind, options: PrintOptions): (objects: readonly Resource[], now: number) => string {
  const columns = shownColumns(kind, options)
  const headings = [...(options.allNamespaces ? ['Namespace'] : []), ...columns.map(column => column.name)]
  const table = new Table(headings, options.width)
  return (objects, now) => table.text(objects.map(object => rowOf(columns, object, { ...options, now })))
}

/** `nest.demo.aviary.dev/robin`, as kubectl calls an object. */
export function nameText(kind: Kind, name: string): string {
  const [, ...group] = qualified(kind).split('.')
  return `${[kind.singular, ...group].join('.')}/${name}`
}

function shownColumns(kind: Kind, { form }: PrintOptions): readonly Column[] {
  return kind.columns.filter(column => form === 'wide' || column.priority === 0)
}

function rowOf(columns: readonly Column[], object: Resource, { allNamespaces, now }: PrintOptions): readonly string[] {
  const cells = columns.map(column => String(cellOf(column, object, now) ?? ''))
  return allNamespaces ? [object.metadata.namespace ?? '', ...cells] : cells
}

function whole(objects: readonly Resource[], single: boolean): unknown {
  const [only] = objects
  if (single && only !== undefined) return only
  return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: '' }, items: objects }
}
