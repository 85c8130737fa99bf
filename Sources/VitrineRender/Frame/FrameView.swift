import VitrineGPU
import VitrineMath
import VitrineScene

/// One validated request to render: view, options, target, and the matrices that follow from them.
struct FrameView {
    let view: View
    let options: RenderOptions
    let target: GPUTextureView
    /// Width / height of the camera's whole image.
    let aspectRatio: Float
    let clipFromView: Matrix4
    let clipFromWorld: Matrix4

    /// Computes the matrices of a frame.
    ///
    /// - Parameter store: up to date; an orthographic camera's depth range is fitted to it.
    init(_ view: View, _ options: RenderOptions, _ target: GPUTextureView, _ store: NodeStore) {
        (self.view, self.options, self.target) = (view, options, target)
        let (width, height) = (target.texture.width, target.texture.height)
        aspectRatio = view.wholeAspectRatio(width: width, height: height)
        let offset = Vector3(options.subpixelOffset.x * -2 / Float(width), options.subpixelOffset.y * 2 / Float(height), 0)
        clipFromView = Matrix4(translation: offset) * view.fittingDepthRange(to: store).clipFromView(aspectRatio: aspectRatio)
        clipFromWorld = clipFromView * view.worldFromCamera.affineInverse
    }

    /// Pixels of the target.
    var width: Int { target.texture.width }
    /// Pixels of the target.
    var height: Int { target.texture.height }

    /// Factor on radiance.
    var exposure: Float { exp2(view.camera.exposure + options.exposure) }

    /// dot(xyz, point) + w is the distance ahead of the camera.
    var forward: Vector4 {
        let direction = -normalize(view.worldFromCamera.z.xyz)
        return Vector4(direction, -dot(direction, view.worldFromCamera.translation))
    }

    /// The tolerance for coarser geometry in this frame.
    var detail: DetailLevel {
        DetailLevel(
            clipFromWorld: clipFromWorld, clipFromView: clipFromView, near: view.camera.near, size: (width: width, height: height))
    }
}
