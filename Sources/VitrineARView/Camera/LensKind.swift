import VitrineAR
import VitrineGPU

/// The kind of lens distortion for which the camera shaders are compiled.
///
/// A constant of the pipeline, not a uniform: for a branch on a uniform, lavapipe compiles new code in every frame.
enum LensKind: Hashable {
    case undistorted
    case distorted(LensDistortion.Projection)

    init(_ distortion: LensDistortion) { self = distortion.isDistorted ? .distorted(distortion.projection) : .undistorted }

    var constants: [GPUConstant] {
        switch self {
        case .undistorted: [GPUConstant("DISTORTED", false), GPUConstant("EQUIDISTANT", false)]
        case .distorted(.brownConrady): [GPUConstant("DISTORTED", true), GPUConstant("EQUIDISTANT", false)]
        case .distorted(.kannalaBrandt): [GPUConstant("DISTORTED", true), GPUConstant("EQUIDISTANT", true)]
        }
    }

    static let wgsl = """
        override DISTORTED: bool = false;
        override EQUIDISTANT: bool = false;

        // Applies lens distortion to normalized coordinates (x / z, y / z): LensDistortion.distort. k: LensDistortion.fourCoefficients.
        fn distorted(n: vec2f, k: vec4f) -> vec2f {
            let squared = dot(n, n);
            if (!EQUIDISTANT) {
                let factor = 1.0 + squared * (k.x + squared * k.y);
                return n * factor + vec2f(
                    2.0 * k.z * n.x * n.y + k.w * (squared + 2.0 * n.x * n.x),
                    k.z * (squared + 2.0 * n.y * n.y) + 2.0 * k.w * n.x * n.y);
            }
            let radius = max(sqrt(squared), 1e-6);
            let angle = atan2(radius, 1.0);
            let s = angle * angle;
            return n * (angle * (1.0 + s * (k.x + s * (k.y + s * (k.z + s * k.w)))) / radius);
        }
        """
}
