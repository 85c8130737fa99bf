import VitrineAR
import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

/// A session's camera for the scene renderer: a pinhole camera with an off-centre principal point.
struct PinholeView {
    /// The size of the whole view in pixels.
    let width, height: Int
    private let clipFromWorld: Matrix4
    /// The whole view as a part of a larger image centred on the axis.
    private let whole: View

    var size: Vector2 { Vector2(Float(width), Float(height)) }
    /// The near plane in metres.
    static let near: Float = 0.01

    init(_ camera: ARCamera, _ orientation: InterfaceOrientation, width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        let viewport = Vector2(Float(width), Float(height))
        let projection = camera.projectionMatrix(for: orientation, viewportSize: viewport, zNear: Self.near, zFar: .infinity)
        let viewFromWorld = camera.viewMatrix(for: orientation)
        clipFromWorld = projection * viewFromWorld
        // The view's edges at 1 m: left and lower, right and upper.
        let focal = Vector2(projection.x.x, projection.y.y)
        let shift = Vector2(projection.z.x, projection.z.y)
        let (low, high) = ((shift - 1) / focal, (shift + 1) / focal)
        let half = pointwiseMax(pointwiseMax(low, -low), pointwiseMax(high, -high))
        let part = Rectangle(
            origin: Vector2(low.x + half.x, half.y - high.y) / (2 * half), size: (high - low) / (2 * half))
        whole = View(
            camera: Camera(
                projection: .perspective(fieldOfView: .radians(2 * atan2(half.y, 1))), near: Self.near, aspectRatio: half.x / half.y),
            worldFromCamera: viewFromWorld.affineInverse, part: part)
    }

    /// The renderer's view of a region.
    func view(of region: PixelRectangle) -> View {
        var view = whole
        let part = whole.part ?? Rectangle(x: 0, y: 0, width: 1, height: 1)
        let corner = Vector2(Float(region.x), Float(region.y)) / size
        let share = Vector2(Float(region.width), Float(region.height)) / size
        view.part = Rectangle(origin: part.origin + corner * part.size, size: share * part.size)
        return view
    }

    /// The transform from the world to the clip space of a region.
    func clipFromWorld(of region: PixelRectangle) -> Matrix4 {
        let scale = size / Vector2(Float(region.width), Float(region.height))
        let middle = (Vector2(Float(region.x), Float(region.y)) + Vector2(Float(region.width), Float(region.height)) / 2) / size * 2 - 1
        let regionFromView = Matrix4(
            Vector4(scale.x, 0, 0, 0), Vector4(0, scale.y, 0, 0), Vector4(0, 0, 1, 0),
            Vector4(-middle.x * scale.x, middle.y * scale.y, 0, 1))
        return regionFromView * clipFromWorld
    }

    /// The region of the view that a scene and other shapes cover; nil if nothing is visible.
    ///
    /// - Parameters:
    ///   - others: The corners of each shape.
    ///   - last: The previous target; its size is kept if suitable.
    func region(of scene: Scene, and others: [[Vector3]] = [], keeping last: GPUTexture?) -> PixelRectangle? {
        scene.update()
        let store = scene.store
        var (low, high) = (Vector2(repeating: .infinity), Vector2(repeating: -.infinity))
        var shapes = others
        for slot in store.order where store.worldOpacities[Int(slot)] > 0 && store.meshes[Int(slot)] != nil {
            let bounds = store.worldBounds[Int(slot)]
            guard !bounds.isEmpty else { continue }
            shapes.append(bounds.corners)
        }
        for corners in shapes {
            switch coverage(corners) {
            case .nowhere: continue
            case .everywhere: return PixelRectangle(x: 0, y: 0, width: width, height: height)
            case .between(let from, let to): (low, high) = (pointwiseMin(low, from), pointwiseMax(high, to))
            }
        }
        return PixelRectangle(from: low, to: high, in: (width, height), keeping: last.map { ($0.width, $0.height) })
    }

    private enum Coverage {
        case nowhere, everywhere
        case between(Vector2, Vector2)
    }

    /// The bounds of a shape's corners in the view; everywhere if some are behind the camera.
    private func coverage(_ corners: [Vector3]) -> Coverage {
        var (low, high) = (Vector2(repeating: .infinity), Vector2(repeating: -.infinity))
        var behind = 0
        for point in corners {
            let clip = clipFromWorld * Vector4(point, 1)
            guard clip.w > Self.near else {
                behind += 1
                continue
            }
            let point = Vector2(1 + clip.x / clip.w, 1 - clip.y / clip.w) / 2 * size
            (low, high) = (pointwiseMin(low, point), pointwiseMax(high, point))
        }
        return behind == corners.count ? .nowhere : behind > 0 ? .everywhere : .between(low, high)
    }
}

extension BoundingBox {
    var corners: [Vector3] {
        (0..<8).map {
            Vector3($0 & 1 == 0 ? minimum.x : maximum.x, $0 & 2 == 0 ? minimum.y : maximum.y, $0 & 4 == 0 ? minimum.z : maximum.z)
        }
    }
}
