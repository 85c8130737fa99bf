import VitrineAR
import VitrineGPU

/// The kind of lens distortion for which the camera shaders are compiled.
enum LensKind: Hashable {
    case undistorted, brownConrady, equidistant

    init(_ distortion: LensDistortion) {
        self = !distortion.isDistorted ? .undistorted : distortion.isFisheye ? .equidistant : .brownConrady
    }

    var constants: [GPUConstant] { [GPUConstant("DISTORTED", self != .undistorted), GPUConstant("EQUIDISTANT", self == .equidistant)] }
}
