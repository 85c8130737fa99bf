import VitrineAR
import VitrineGPU

/// The kind of lens distortion for which the camera shaders are compiled.
enum LensKind: Hashable {
    case straight, radialTangential, equidistant

    init(_ lens: LensDistortion) {
        switch lens {
        case .radialTangential(let k): self = k == .zero ? .straight : .radialTangential
        case .equidistant: self = .equidistant
        }
    }

    var constants: [GPUConstant] { [GPUConstant("DISTORTED", self != .straight), GPUConstant("EQUIDISTANT", self == .equidistant)] }
}
