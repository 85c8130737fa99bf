import CProcessor

/// The processor features that the photo modules were compiled for.
package enum PhotoBuild {
    /// Whether this build uses AVX2 and FMA, which makes photo kernels several times faster.
    package static var usesWideInstructions: Bool { vitrine_build_is_wide() == 1 }
    /// Whether the processor has AVX2 and FMA.
    package static var processorHasWideInstructions: Bool { vitrine_processor_is_wide() == 1 }
}
