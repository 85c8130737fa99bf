import VitrineAR
import VitrineGPU

/// What a lens does to straight lines, as the camera's shaders are compiled for it.
enum LensKind: Hashable {
    case straight, radialTangential, equidistant

    init(_ lens: LensDistortion) {
        self = !lens.isDistorted ? .straight : lens.isFisheye ? .equidistant : .radialTangential
    }

    var constants: [GPUConstant] { [GPUConstant("BENDS", self != .straight), GPUConstant("EQUIDISTANT", self == .equidistant)] }
}
