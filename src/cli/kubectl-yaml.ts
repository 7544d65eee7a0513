import type { DocumentOptions, ParseOptions, ScalarTag, SchemaOptions } from 'yaml'

/** What YAML 1.1 has and kubectl reads otherwise: times that are no texts, bytes, collections that are neither list nor map. */
const otherwise = /^tag:yaml\.org,2002:(timestamp|binary|omap|pairs|set)$/

/** `!!binary` is a text that somebody took the trouble to encode. */
const binary: ScalarTag = { tag: 'tag:yaml.org,2002:binary', resolve: text => Buffer.from(text, 'base64').toString() }

/**
 * How kubectl reads YAML, for the `yaml` package: as 1.1 says (`yes` is true, `0644` is octal, `<<` merges), with octal numbers of 1.2,
 * too. A file means the same to both programs.
 */
export const kubectlYaml: ParseOptions & DocumentOptions & SchemaOptions = {
  version: '1.1',
  uniqueKeys: true,
  customTags: tags => [
    // `TIME` is what the package calls numbers of base 60: `1:30`.
    ...tags.filter(tag => typeof tag === 'string' || (tag.format !== 'TIME' && !otherwise.test(tag.tag))),
    'intOct',
    binary,
  ],
}

/** How to write YAML that kubectl, and we, read as what was written: the text `yes` in quotes. */
export const forKubectl: SchemaOptions = { compat: 'yaml-1.1' }
