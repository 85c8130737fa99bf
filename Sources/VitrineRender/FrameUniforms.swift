import VitrineMath
import VitrineScene

/// `Frame` of the shaders, as vectors.
struct FrameUniforms {
    static let vectorCount = 16
    let vectors: [Vector4]

    init(view: View, clipFromWorld: Matrix4, size: (width: Int, height: Int), exposure: Float, options: RenderOptions, lights: LightList) {
        let world = view.worldFromCamera
        let back = normalize(world.z.xyz)
        let eye: Vector4 =
            switch view.camera.projection {
            case .perspective: Vector4(world.translation, 1)
            case .orthographic: Vector4(back, 0)
            }
        let inverse = clipFromWorld.inverse
        let (width, height) = (Float(size.width), Float(size.height))
        let part = view.part ?? Rectangle(x: 0, y: 0, width: 1, height: 1)
        vectors = [
            clipFromWorld.x, clipFromWorld.y, clipFromWorld.z, clipFromWorld.w,
            inverse.x, inverse.y, inverse.z, inverse.w,
            eye, FrameUniforms.forward(view),
            Vector4(lights.ambient, 0), Vector4(part.origin.x, part.origin.y, part.size.x, part.size.y),
            Vector4(exposure, Float(lights.unboundedCount), options.mipBias, options.time),
            Vector4(width, height, 1 / width, 1 / height),
            Vector4(Float(LightList.tilesAcross), Float(LightList.tilesDown), Float(LightList.sliceCount), Float(lights.boundedCount)),
            Vector4(lights.sliceScale.x, lights.sliceScale.y, options.subpixelOffset.x, options.subpixelOffset.y),
        ]
    }

    /// dot(xyz, point) + w is the distance ahead of the camera.
    static func forward(_ view: View) -> Vector4 {
        let direction = -normalize(view.worldFromCamera.z.xyz)
        return Vector4(direction, -dot(direction, view.worldFromCamera.translation))
    }
}
