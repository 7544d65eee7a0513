/** What workers are like, and what they are called after: words that are easy to say on the telephone. */
export const adjectives: readonly string[] =
  `able agile amber ample ashen avid awake balmy bold brave breezy bright brisk broad calm candid careful cheery chief civil clean clear
  clever close cosy cool coral crisp curious daring dapper deft downy eager early earnest easy elder even fair famous fast fearless
  fleet fond frank free fresh full gentle glad golden good grand grateful great happy hardy honest humble idle ivory jolly just keen
  kind lively loyal lucid lucky mellow merry mighty mild modest neat nimble noble olive open patient placid plain polite proud quick
  quiet rapid ready regal rosy rustic sandy serene sharp shy silent silver simple sleek smart snug soft solid spry steady still sunny
  swift tender tidy tiny tranquil true trusty upbeat valiant vivid warm wary wild wise witty young zesty`.split(/\s+/)

/** Birds, as suits an aviary. */
export const nouns: readonly string[] =
  `avocet bittern bluebird bobolink bulbul bunting buzzard canary cassowary chaffinch chough condor coot cormorant crane crow cuckoo
  curlew dipper dove duck dunlin dunnock eagle egret eider falcon finch flicker gannet godwit goldfinch goose grebe grosbeak grouse gull
  harrier hawk heron hobby hoopoe hornbill ibis jackdaw jay junco kestrel kingfisher kinglet kite kiwi knot lapwing lark linnet loon
  lorikeet magpie mallard martin merlin moorhen nightjar nuthatch oriole osprey ostrich ousel owl parrot partridge pelican penguin
  petrel pheasant pigeon pintail pipit plover puffin quail rail raven redpoll redstart robin rook ruff sanderling serin shoveler shrike
  siskin skua skylark snipe sparrow starling stilt stork swallow swan swift tanager teal tern thrush toucan turnstone vireo wagtail
  warbler waxwing weaver wheatear whinchat wigeon willet wren`.split(/\s+/)
