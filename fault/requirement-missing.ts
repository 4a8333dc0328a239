/** The machine cannot do what an experiment or a measurement needs although everything is installed. Containers often may not mount. */
export class RequirementMissing extends Error {
  override readonly name = 'RequirementMissing'
}
