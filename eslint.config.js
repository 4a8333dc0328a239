import tseslint from 'typescript-eslint'

// Type-aware lint; what each rule saves us from is in docs/decisions/0002-checks.md.
export default tseslint.config(
  { ignores: ['node_modules/', 'data/', 'coverage/', 'docs/reference/', 'browser/printed/', 'client/printed/', '**/dist/'] },
  {
    files: ['**/*.ts', 'dashboard/**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Objects here are made by functions that close over their parts: there is no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      // `Promise<void> | void` is the type of a callback that may be asynchronous.
      '@typescript-eslint/no-invalid-void-type': 'off',
      // Types and interfaces are both the house's words; an async function without await still turns a throw into a rejection.
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/require-await': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
      'no-eval': 'error',
      'no-var': 'error',
      'prefer-const': 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportDefaultDeclaration', message: 'Exports are named, never default.' },
        { selector: 'ExportSpecifier[exported.name="default"]', message: 'Exports are named, never default.' },
      ],
    },
  },
  {
    // Our own code has no enum (erasableSyntaxOnly); the tools use those of the compiler. The rule takes a twelfth of lint's time.
    files: ['**/*.ts', '**/*.tsx'],
    ignores: ['tools/**'],
    rules: { '@typescript-eslint/no-unsafe-enum-assignment': 'off' },
  },
  {
    // A promise that test() returns is the runner's to wait for; a test may look at what types say cannot be.
    files: ['**/*.test.ts', '**/*.suite.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: ['test', 'it', 'describe', 'suite'], package: 'node:test' }] },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // These speak to a person on a terminal.
    files: ['tools/**/*.ts', 'bench/**/*.ts', 'fault/**/*.ts', 'conformance/**/*.ts', 'examples/**/*.ts', 'service/src/ops/cli/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
)
