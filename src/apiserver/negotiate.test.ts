import { describe, expect, test } from 'vitest'
import { StoreError } from '../store/index.ts'
import { negotiate } from './negotiate.ts'

const json = { format: 'json', as: 'itself', version: 'v1' }

describe('what an Accept header gets', () => {
  test.each([
    [undefined, json],
    ['', json],
    ['application/json', json],
    ['*/*', json],
    ['application/*', json],
    ['text/html,application/xhtml+xml,*/*;q=0.8', json],
    ['application/yaml', { ...json, format: 'yaml' }],
    ['application/yaml;q=0.5, application/json', json],
    ['application/json;as=Table;v=v1;g=meta.k8s.io,application/json', { ...json, as: 'Table' }],
    ['application/json;as=Table;v=v1beta1;g=meta.k8s.io', { ...json, as: 'Table', version: 'v1beta1' }],
    ['application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1', { ...json, as: 'PartialObjectMetadata' }],
  ])('%s', (accept, acceptance) => {
    expect(negotiate(accept)).toEqual(acceptance)
  })

  test('trap 10: protobuf answers are not given: who also takes JSON gets JSON', () => {
    expect(negotiate('application/vnd.kubernetes.protobuf,application/json')).toEqual(json)
    expect(
      negotiate(
        'application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json',
      ),
    ).toEqual({ ...json, as: 'PartialObjectMetadata' })
  })

  test('trap 2: a request for aggregated discovery falls back to the plain form', () => {
    const accept =
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json'
    expect(negotiate(accept)).toEqual(json)
  })
})

test.each(['text/plain', 'application/vnd.kubernetes.protobuf', 'application/json;as=Foo;v=v1;g=meta.k8s.io', 'application/json;q=0'])(
  'nothing acceptable in %s is 406',
  accept => {
    expect(() => negotiate(accept)).toThrow(
      new StoreError('NotAcceptable', 'only the following media types are accepted: application/json, application/yaml'),
    )
  },
)

test('a watch is never YAML', () => {
  expect(() => negotiate('application/yaml', 'watch')).toThrow('application/json;stream=watch')
  expect(negotiate('application/yaml, application/json', 'watch')).toEqual(json)
})
