import tseslint from 'typescript-eslint'
import withTypes from '../eslint.config.js'

// The rules of eslint.config.js that need no types, in a fifth of the time: why there are two is in docs/decisions/0002-checks.md.
export default tseslint.config(withTypes, {
  files: ['**/*.ts', '**/*.tsx'],
  extends: [tseslint.configs.disableTypeChecked],
  // An exception to a rule that needs types has nothing to except here.
  linterOptions: { reportUnusedDisableDirectives: 'off' },
})
