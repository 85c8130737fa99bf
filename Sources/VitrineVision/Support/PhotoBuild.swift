import CProcessor

/// What this build of the photo rooms was made for.
public enum PhotoBuild {
    /// Whether the compiler could use AVX2 and FMA: photo kernels are several times faster then.
    public static var usesWideInstructions: Bool { vitrine_build_is_wide() == 1 }
    /// Whether this machine's processor has them.
    public static var processorHasWideInstructions: Bool { vitrine_processor_is_wide() == 1 }
}
