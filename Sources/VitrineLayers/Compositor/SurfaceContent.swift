import VitrineMath
import VitrineScene

/// The content of a surface: surfaces with equal contents have equal pixels.
///
/// Numbers are compared as they are uploaded; textures and outlines are compared by identity. Positions in the frame's lists and in the mask atlas
/// are ignored.
struct SurfaceContent: Equatable {
    private var words: [UInt32] = []
    private var objects: [ObjectIdentifier] = []
    private var effects: [ShaderEffect] = []
    /// The objects, retained so that identities are not reused.
    private var held: [AnyObject] = []

    init(_ plan: SurfacePlan, _ drawing: FrameDrawing) { add(plan, drawing) }

    static func == (a: SurfaceContent, b: SurfaceContent) -> Bool {
        a.words == b.words && a.objects == b.objects && a.effects == b.effects
    }

    /// The FNV-1a hash of the numbers and objects.
    var hash: UInt64 {
        var hash = FNVHash()
        for word in words { hash.combine(UInt64(word)) }
        for object in objects { hash.combine(UInt64(UInt(bitPattern: object))) }
        return hash.value
    }

    private mutating func add(_ plan: SurfacePlan, _ drawing: FrameDrawing) {
        let region = plan.region
        add([region.x, region.y, region.width, region.height, plan.draws.count, plan.steps.count])
        // One by one: the padding between the members of a tuple is undefined.
        add(bytesOf: plan.scale)
        add(bytesOf: plan.offset)
        add(bytesOf: plan.background)
        let inner = plan.innerPlans
        for draw in plan.draws {
            add(draw, drawing)
            // Each surface once, for all pieces that use it.
            if case .surface(let other) = draw.source { add([inner.firstIndex { $0 === other } ?? -1]) }
        }
        for surface in inner { add(surface, drawing) }
        for step in plan.steps { add(step, drawing) }
    }

    private mutating func add(_ draw: SurfacePlan.Draw, _ drawing: FrameDrawing) {
        let parts = draw.parts
        add([
            Int(parts.outline.rawValue), Int(parts.texture.rawValue), parts.hasGradient ? 1 : 0, Int(parts.blend.rawValue),
            Int(draw.blend.rawValue),
            draw.joining.number, draw.isStroke ? 1 : 0,
        ])
        var instance = drawing.instances[draw.instance]
        let original = instance
        (instance.firstClip, instance.fillStop, instance.strokeStop, instance.mask) = (0, 0, 0, Vector4())
        add(bytesOf: instance)
        for index in 0..<original.clipCount { add(bytesOf: drawing.clips[Int(original.firstClip + index)]) }
        // The codes contain the number of stops.
        for (first, code) in [(original.fillStop, original.fillGradient), (original.strokeStop, original.strokeGradient)] {
            for index in 0..<code & 255 { add(bytesOf: drawing.stops[Int(first + index)]) }
        }
        if let mask = draw.mask { add(mask) }
        switch draw.source {
        case .none: break
        case .image(let surface, let filter):
            add(surface)
            add([Int(truncatingIfNeeded: surface.version), filter == .linear ? 1 : 0])
        case .surface: break
        }
    }

    private mutating func add(_ step: SurfacePlan.Step, _ drawing: FrameDrawing) {
        switch step {
        case .effects(let list, let bounds):
            add([1, list.count])
            add(bytesOf: Vector4(lowHalf: bounds.origin, highHalf: bounds.size))
            effects += list
        case .blur(let sigma):
            add([2])
            add(bytesOf: sigma)
        case .mask(let cut):
            add([3])
            add(cut, drawing)
        case .shadow(let shadow, let radius, let offset):
            add([4])
            add(bytesOf: shadow.color.linear)
            add(bytesOf: Vector4(shadow.opacity, radius, offset.x, offset.y))
        }
    }

    private mutating func add<Object: AnyObject>(_ object: Object) {
        objects.append(ObjectIdentifier(object))
        held.append(object)
    }

    private mutating func add(_ numbers: [Int]) { for number in numbers { words.append(UInt32(truncatingIfNeeded: number)) } }

    private mutating func add<Value: BitwiseCopyable>(bytesOf value: Value) {
        withUnsafeBytes(of: value) { bytes in
            var index = 0
            while index + 4 <= bytes.count {
                words.append(bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self))
                index += 4
            }
        }
    }
}

extension SurfacePlan.Joining {
    fileprivate var number: Int {
        switch self {
        case .over: 0
        case .beside: 1
        case .atop: 2
        }
    }
}
