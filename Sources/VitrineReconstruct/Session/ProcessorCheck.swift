import VitrineVision

/// Whether the processor has the instructions that this build was made with.
///
/// A build with AVX2 and FMA on a processor without them would end by a signal in the middle of the work; this check reports it before.
package enum ProcessorCheck {
    /// Whether this build uses the processor's wide instructions: see `scripts/swift-flags.sh`. Builds without them are correct, but slower.
    package static var isFastBuild: Bool { PhotoBuild.usesWideInstructions }

    /// Whether a build for this processor would be faster than this one.
    package static var couldBeFaster: Bool { !PhotoBuild.usesWideInstructions && PhotoBuild.processorHasWideInstructions }

    /// The missing instructions as an error message; empty if none is missing.
    package static let missingInstructions: String = {
        guard PhotoBuild.usesWideInstructions, !PhotoBuild.processorHasWideInstructions else { return "" }
        return "this build needs a processor with AVX2 and FMA, which this one lacks: build with VITRINE_PORTABLE=1"
    }()
}
