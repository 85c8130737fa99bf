import VitrineAR
import VitrineGPU

/// What a lens does to straight lines, as the camera's shaders are compiled for it.
enum LensKind: Hashable {
    case straight, radialTangential, equidistant

    init(_ lens: LensDistortion) {
        switch lens {
        case .radialTangential(let k): self = k == .zero ? .straight : .radialTangential
        case .equidistant: self = .equidistant
        }
    }

    var constants: [GPUConstant] { [GPUConstant("BENDS", self != .straight), GPUConstant("EQUIDISTANT", self == .equidistant)] }
}
