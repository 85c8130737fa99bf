import CProcessor

/// The processor features that the photo modules were compiled for.
public enum PhotoBuild {
    /// Whether this build uses AVX2 and FMA, which makes photo kernels several times faster.
    public static var usesWideInstructions: Bool { vitrine_build_is_wide() == 1 }
    /// Whether the processor has AVX2 and FMA.
    public static var processorHasWideInstructions: Bool { vitrine_processor_is_wide() == 1 }
}
