/// A reader under test: initial seeds, and the function that processes an input. Each file of Targets defines one, `NAMETarget`.
///
/// An input may be refused by an error; anything else (a trap, a bad access, a leak, ten seconds, two gigabytes) is a defect.
struct FuzzTarget: Sendable {
    /// Small valid files, so that the fuzzer need not invent the format.
    let seeds: @Sendable () throws -> [[UInt8]]
    let run: @Sendable ([UInt8]) -> Void
}
