// The functions that the page calls: Web/runtime/runtime.js is their only caller.
//
// A function returns a status: 0 or a result if it succeeds, and −1 after `Page.putText(reason)` if it fails, followed by the name of the glTF
// extension that is not supported, if that is the reason. Texts are passed as UTF-8 in memory that the page has allocated; results that are not
// numbers are returned with `Page.putNumber` and `Page.putText`.

import CVitrineWeb
import VitrineGLTF
import VitrineGPU
import VitrineGeometry
import VitrineMath
import VitrineMotion
import VitrineRender
import VitrineScene
import VitrineStage

/// Runs a function of a viewer and reports its error to the page.
private func attempt(_ number: Int32, _ body: (PageViewer) throws(PageError) -> Int32) -> Int32 {
    guard let viewer = Page.viewer(number) else { return fail("the viewer was destroyed") }
    do throws(PageError) {
        return try body(viewer)
    } catch {
        _ = fail(error.text)
        if let name = error.unsupportedExtension { Page.putText(name) }
        return -1
    }
}

private func fail(_ reason: String) -> Int32 {
    Page.putText(reason)
    return -1
}

private func text(_ start: UnsafePointer<UInt8>?, _ count: Int32) -> String {
    String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
}

// MARK: - The page

@_expose(wasm, "vitrine_open") @_cdecl("vitrine_open")
public func open() -> Int32 {
    do throws(PageError) {
        Page.current = try Page()
        return 0
    } catch { return fail(error.text) }
}

@_expose(wasm, "vitrine_close") @_cdecl("vitrine_close")
public func close() { Page.current = nil }

@_expose(wasm, "vitrine_make_viewer") @_cdecl("vitrine_make_viewer")
public func makeViewer(isBGRA: Int32) -> Int32 {
    guard let page = Page.current else { return fail("the runtime is closed") }
    do throws(PageError) {
        return try page.addCanvas { number throws(PageError) in
            try PageViewer(page, number: number, format: isBGRA != 0 ? .bgra8Unorm : .rgba8Unorm)
        }
    } catch { return fail(error.text) }
}

@_expose(wasm, "vitrine_remove_viewer") @_cdecl("vitrine_remove_viewer")
public func removeViewer(number: Int32) {
    Page.viewer(number)?.load = nil
    Page.viewer(number)?.environmentLoad = nil
    Page.current?.removeCanvas(number)
}

// MARK: - Loading

/// Files that the page has fetched for the next model, by path.
nonisolated(unsafe) private var files: [String: [UInt8]] = [:]

@_expose(wasm, "vitrine_add_file") @_cdecl("vitrine_add_file")
public func addFile(path: UnsafePointer<UInt8>?, pathCount: Int32, source: UInt32, count: Int32) {
    files[text(path, pathCount)] = Page.bytes(source, count: Int(count))
}

@_expose(wasm, "vitrine_clear_files") @_cdecl("vitrine_clear_files")
public func clearFiles() { files = [:] }

/// Parses a model. Returns 0 after putting its images, or 1 after putting the paths of files that it needs.
@_expose(wasm, "vitrine_parse") @_cdecl("vitrine_parse")
public func parse(
    number: Int32, source: UInt32, count: Int32, name: UnsafePointer<UInt8>?, nameCount: Int32, takesMissing: Int32
) -> Int32 {
    attempt(number) { viewer throws(PageError) in
        var missing: [String] = []
        var load: ModelLoad?
        var failure: PageError?
        do throws(PageError) {
            let asset = try ModelLoad.parse(
                Page.bytes(source, count: Int(count)), name: text(name, nameCount), files: files, missing: &missing)
            load = ModelLoad(asset, for: viewer)
        } catch { failure = error }
        if !missing.isEmpty, takesMissing == 0 {
            Page.putTexts(missing)
            return 1
        }
        if let failure { throw failure }
        viewer.load = load
        load?.putImages()
        return 0
    }
}

@_expose(wasm, "vitrine_take_image") @_cdecl("vitrine_take_image")
public func takeImage(number: Int32, index: Int32, image: UInt32, width: Int32, height: Int32) {
    Page.viewer(number)?.load?.takeImage(Int(index), number: image, width: Int(width), height: Int(height))
}

@_expose(wasm, "vitrine_drop_image") @_cdecl("vitrine_drop_image")
public func dropImage(number: Int32, index: Int32, reason: UnsafePointer<UInt8>?, count: Int32) {
    Page.viewer(number)?.load?.dropImage(Int(index), reason: text(reason, count))
}

/// Called after all images were taken or dropped. Before, `vitrine_advance_load` prepares everything that does not depend on them, up to the fraction 1.
@_expose(wasm, "vitrine_complete_images") @_cdecl("vitrine_complete_images")
public func completeImages(number: Int32) { Page.viewer(number)?.load?.completeImages() }

/// Uploads for some milliseconds and returns the completed fraction.
@_expose(wasm, "vitrine_advance_load") @_cdecl("vitrine_advance_load")
public func advanceLoad(number: Int32, milliseconds: Double) -> Int32 {
    attempt(number) { viewer throws(PageError) in
        guard let load = viewer.load else { throw PageError("no model is being loaded") }
        do throws(PageError) {
            Page.putNumber(try load.advance(milliseconds: milliseconds))
        } catch {
            viewer.load = nil
            throw error
        }
        return 0
    }
}

/// Displays the loaded model.
@_expose(wasm, "vitrine_finish_load") @_cdecl("vitrine_finish_load")
public func finishLoad(number: Int32) -> Int32 {
    attempt(number) { viewer throws(PageError) in
        viewer.load?.finish()
        viewer.load = nil
        return 0
    }
}

@_expose(wasm, "vitrine_cancel_load") @_cdecl("vitrine_cancel_load")
public func cancelLoad(number: Int32) {
    guard let viewer = Page.viewer(number), viewer.load != nil else { return }
    viewer.load = nil
    viewer.renderer.purge()
}

/// Removes the model.
@_expose(wasm, "vitrine_unload") @_cdecl("vitrine_unload")
public func unload(number: Int32) { Page.viewer(number)?.show(Scene(), nil) }

/// Returns the facts of the displayed model; no values if there is none.
@_expose(wasm, "vitrine_model") @_cdecl("vitrine_model")
public func model(number: Int32) {
    guard let viewer = Page.viewer(number), let model = viewer.model else { return }
    let scene = viewer.stage.scene
    Page.putText(scene.name)
    Page.putText(model.info.generator)
    Page.putText(model.info.copyright)
    Page.putTexts(model.info.extensionsUsed)
    Page.putTexts(scene.variantNames)
    Page.putTexts(model.warnings)
    var cameras: [String] = []
    scene.rootNode.forSubtree { if $0.camera != nil { cameras.append($0.name) } }
    Page.putTexts(cameras)
    Page.putNumber(scene.animations.count)
    for clip in scene.animations {
        Page.putText(clip.name)
        Page.putNumber(Double(clip.duration))
    }
    let bounds = scene.subjectBounds
    for corner in [bounds.minimum, bounds.maximum] {
        for axis in 0..<3 { Page.putNumber(corner[axis]) }
    }
    Page.putNumber(model.triangles)
    Page.putNumber(model.textures)
}

// MARK: - Environment

/// Starts preparing an environment. `width` 0: a Radiance file; otherwise rows of 8-bit sRGB with alpha. `count` 0: the studio.
@_expose(wasm, "vitrine_begin_environment") @_cdecl("vitrine_begin_environment")
public func beginEnvironment(number: Int32, source: UInt32, count: Int32, width: Int32, height: Int32) -> Int32 {
    attempt(number) { viewer throws(PageError) in
        var image: Image?
        if count > 0 {
            let bytes = Page.bytes(source, count: Int(count))
            if width > 0 {
                do throws(ImageError) {
                    image = try Image(width: Int(width), height: Int(height), format: .rgba8, bytes: bytes, name: "environment")
                } catch { throw PageError("the environment is too large for the memory") }
            } else {
                do throws(PageError) {
                    var radiance = try RadianceImage(bytes)
                    image = try radiance.decode(name: "environment")
                } catch { throw PageError("the environment " + error.text) }
            }
        }
        viewer.environmentLoad = EnvironmentLoad(image, for: viewer)
        return 0
    }
}

/// Filters for some milliseconds and returns the completed fraction; at 1 the environment is displayed.
@_expose(wasm, "vitrine_advance_environment") @_cdecl("vitrine_advance_environment")
public func advanceEnvironment(number: Int32, milliseconds: Double) -> Int32 {
    attempt(number) { viewer throws(PageError) in
        guard let load = viewer.environmentLoad else { throw PageError("no environment is being prepared") }
        let fraction: Double
        do throws(PageError) {
            fraction = try load.advance(milliseconds: milliseconds)
        } catch {
            viewer.environmentLoad = nil
            throw error
        }
        if fraction >= 1 {
            viewer.environmentLoad = nil
            viewer.renderer.purge()
        }
        Page.putNumber(fraction)
        return 0
    }
}

// MARK: - Properties

/// Numeric properties that the page sets; `Property` in runtime.js has the same order.
private enum Property: Int32 {
    case intensity, rotation, backgroundBlur, exposure, toneMapping, shadow, antialiasing, cameraControls, autoRotate, autoRotateSpeed
    case autoRotateDelay, reducesMotion, isPaused, animationTime, animation, variant, fieldOfView, animationSpeed, allowsZoom, allowsPan
    case animationFade
}

@_expose(wasm, "vitrine_set") @_cdecl("vitrine_set")
public func set(number: Int32, property: Int32, value: Double) -> Int32 {
    attempt(number) { viewer throws(PageError) in
        guard let property = Property(rawValue: property) else { throw PageError("there is no property \(property)") }
        let (stage, single) = (viewer.stage, Float(value))
        switch property {
        case .intensity: viewer.changeLook { $0.intensity = single }
        case .rotation: viewer.changeLook { $0.rotation = .radians(single) }
        case .backgroundBlur: viewer.changeLook { $0.blur = single }
        case .exposure: viewer.changeLook { $0.options.exposure = single }
        case .toneMapping: viewer.changeLook { $0.options.toneMapping = ToneMapping.allCases[Int(value)] }
        case .shadow: viewer.changeLook { $0.shadow = single }
        case .antialiasing: viewer.changeLook { $0.options.sampleCount = value != 0 ? 4 : 1 }
        case .cameraControls: stage.allowsCameraControl = value != 0
        case .autoRotate:
            viewer.autoRotation.isOn = value != 0
            viewer.setNeedsDisplay()
        case .autoRotateSpeed: viewer.autoRotation.speed = single
        case .autoRotateDelay: viewer.autoRotation.delay = value
        case .reducesMotion: stage.reducesMotion = value != 0
        case .isPaused: stage.isPlaying = value == 0
        case .animationTime: stage.animationTime = single
        case .animation:
            let clips = stage.clips
            guard clips.indices.contains(Int(value)) else { throw PageError("the model has no animation \(Int(value))") }
            stage.play(clips[Int(value)], fadeDuration: stage.isPlaying ? viewer.animationFade : 0)
        case .variant:
            let names = stage.scene.variantNames
            do throws(UnknownVariant) {
                try stage.scene.choose(variant: names.indices.contains(Int(value)) ? names[Int(value)] : nil)
            } catch { throw PageError(error.description) }
            viewer.setNeedsDisplay()
        case .fieldOfView: viewer.fieldOfView = .radians(single)
        case .animationSpeed: stage.scene.mixer.speed = value
        case .allowsZoom: stage.allowsZoom = value != 0
        case .allowsPan: stage.allowsPan = value != 0
        case .animationFade: viewer.animationFade = value
        }
        return 0
    }
}

/// Sets the background: 0 transparent, 1 the environment, 2 a linear colour.
@_expose(wasm, "vitrine_set_background") @_cdecl("vitrine_set_background")
public func setBackground(number: Int32, kind: Int32, red: Float, green: Float, blue: Float, alpha: Float) {
    Page.viewer(number)?.changeLook {
        switch kind {
        case 0: $0.backdrop = .transparent
        case 1: $0.backdrop = .environment
        default: $0.backdrop = .color(Color(red: red, green: green, blue: blue, alpha: alpha))
        }
    }
}

/// Returns whether the animation runs, its time, and the index of its clip.
@_expose(wasm, "vitrine_get_animation") @_cdecl("vitrine_get_animation")
public func getAnimation(number: Int32) {
    guard let stage = Page.viewer(number)?.stage else { return }
    Page.putNumber(stage.isPlaying ? 1 : 0)
    Page.putNumber(stage.animationTime)
    Page.putNumber(stage.clips.isEmpty ? -1 : stage.clipIndex)
}

// MARK: - Camera

/// Sets the camera, in radians and metres. A negative distance is a fraction of the one that fits the model; a target that is not finite fits it.
@_expose(wasm, "vitrine_set_camera") @_cdecl("vitrine_set_camera")
public func setCamera(
    number: Int32, azimuth: Float, elevation: Float, distance: Float, x: Float, y: Float, z: Float, glideTime: Double
) {
    guard let viewer = Page.viewer(number) else { return }
    (viewer.cameraChoice.azimuth, viewer.cameraChoice.elevation) = (.radians(azimuth), .radians(elevation))
    (viewer.cameraChoice.distance, viewer.cameraChoice.share) = distance > 0 ? (distance, 1) : (nil, -distance)
    let target = Vector3(x, y, z)
    viewer.cameraChoice.target = target.isFinite ? target : nil
    if glideTime.isFinite { viewer.cameraChoice.glide(viewer.stage, at: glideTime) } else { viewer.cameraChoice.apply(to: viewer.stage) }
    viewer.setNeedsDisplay()
}

/// Limits azimuth, elevation and distance of the camera, in radians and metres; NaN for the default limit.
@_expose(wasm, "vitrine_set_camera_limits") @_cdecl("vitrine_set_camera_limits")
public func setCameraLimits(
    number: Int32, first: Float, last: Float, lowest: Float, highest: Float, nearest: Float, farthest: Float
) {
    func range(_ low: Float, _ high: Float) -> ClosedRange<Float>? { low <= high ? low...high : nil }
    Page.viewer(number)?.stage.setCameraLimits(
        azimuth: range(first, last), elevation: range(lowest, highest), distance: range(nearest, farthest))
}

/// Returns azimuth, elevation, distance, target and field of view of the camera, and the distance that fits the model.
@_expose(wasm, "vitrine_get_camera") @_cdecl("vitrine_get_camera")
public func getCamera(number: Int32) {
    guard let viewer = Page.viewer(number) else { return }
    let stage = viewer.stage
    let pose = stage.cameraPose
    for value in [pose.azimuth.radians, pose.elevation.radians, pose.distance, pose.target.x, pose.target.y, pose.target.z] {
        Page.putNumber(value)
    }
    Page.putNumber(viewer.fieldOfView.radians)
    Page.putNumber(viewer.cameraChoice.fitted(in: stage).distance)
}

@_expose(wasm, "vitrine_reset_camera") @_cdecl("vitrine_reset_camera")
public func resetCamera(number: Int32, time: Double) { Page.viewer(number)?.stage.perform(.reset, at: time) }

/// Returns x, y and depth of a point of the world.
@_expose(wasm, "vitrine_project") @_cdecl("vitrine_project")
public func project(number: Int32, x: Float, y: Float, z: Float) {
    guard let point = Page.viewer(number)?.stage.projectPoint(Vector3(x, y, z)) else { return }
    for axis in 0..<3 { Page.putNumber(point[axis]) }
}

/// Returns position, normal, texture coordinates, and the names of node and material of the nearest surface; no values if there is none.
@_expose(wasm, "vitrine_pick") @_cdecl("vitrine_pick")
public func pick(number: Int32, x: Float, y: Float) {
    guard let stage = Page.viewer(number)?.stage, let hit = stage.scene.pick(stage.ray(through: Vector2(x, y))) else { return }
    for vector in [hit.position, hit.normal] {
        for axis in 0..<3 { Page.putNumber(vector[axis]) }
    }
    let coordinates = hit.textureCoordinates.first
    Page.putNumber(coordinates?.x ?? .nan)
    Page.putNumber(coordinates?.y ?? .nan)
    Page.putText(hit.node.name)
    Page.putText(hit.material?.name ?? "")
}

// MARK: - Input

/// The kinds of input, with the numbers of runtime.js.
private enum Input: Int32 {
    case pointerDown, pointerMove, pointerUp, touchDown, touchMove, touchUp, touchCancel, blur
}

/// Handles a pointer event.
///
/// - Parameter modifiers: Shift 1, control 2, alt 4, command 8, as in `KeyModifiers`.
@_expose(wasm, "vitrine_pointer") @_cdecl("vitrine_pointer")
public func pointer(
    number: Int32, kind: Int32, id: Int32, button: Int32, clicks: Int32, x: Float, y: Float, modifiers: Int32, time: Double
) {
    guard let input = Input(rawValue: kind) else { return }
    let point = Vector2(x, y)
    let pressed: PointerButton =
        switch button {
        case 0: .left
        case 1: .middle
        case 2: .right
        default: .other(Int(button) + 1)
        }
    let event: InputEvent.Kind =
        switch input {
        case .pointerDown: .pointerPressed(pressed, at: point, clicks: Int(clicks))
        case .pointerMove: .pointerMoved(to: point)
        case .pointerUp: .pointerReleased(pressed, at: point)
        case .touchDown: .touchBegan(id: Int64(id), at: point)
        case .touchMove: .touchMoved(id: Int64(id), to: point)
        case .touchUp: .touchEnded(id: Int64(id), at: point)
        case .touchCancel: .touchCancelled(id: Int64(id))
        case .blur: .focusLost
        }
    send(event, to: number, modifiers: modifiers, time: time, isInput: input != .pointerMove && input != .blur)
}

@_expose(wasm, "vitrine_wheel") @_cdecl("vitrine_wheel")
public func wheel(number: Int32, x: Float, y: Float, atX: Float, atY: Float, modifiers: Int32, time: Double) {
    send(.scrolled(Vector2(x, y), at: Vector2(atX, atY)), to: number, modifiers: modifiers, time: time, isInput: true)
}

/// Handles a key that went down. `code` is a Unicode scalar, or −1 left, −2 right, −3 up, −4 down, −5 home, −6 end.
///
/// - Returns: 1 if the key has a command.
@_expose(wasm, "vitrine_key") @_cdecl("vitrine_key")
public func key(number: Int32, code: Int32, isRepeat: Int32, modifiers: Int32, time: Double) -> Int32 {
    let named: Key? =
        switch code {
        case -1: .left
        case -2: .right
        case -3: .up
        case -4: .down
        case -5: .home
        case -6: .end
        default: code > 0 ? Unicode.Scalar(UInt32(code)).map { .character(Character($0)) } : nil
        }
    guard let named else { return 0 }
    return send(.keyPressed(named, isRepeat: isRepeat != 0), to: number, modifiers: modifiers, time: time, isInput: true) ? 1 : 0
}

@discardableResult
private func send(_ kind: InputEvent.Kind, to number: Int32, modifiers: Int32, time: Double, isInput: Bool) -> Bool {
    guard let canvas = Page.canvas(number) else { return false }
    let event = InputEvent(kind, modifiers: KeyModifiers(rawValue: UInt8(truncatingIfNeeded: modifiers)), time: time)
    return canvas.handle(event, isInput: isInput)
}

// MARK: - Frames

@_expose(wasm, "vitrine_resize") @_cdecl("vitrine_resize")
public func resize(number: Int32, width: Int32, height: Int32, points: Float, pointsHigh: Float) {
    Page.canvas(number)?.resize(width: Int(width), height: Int(height), points: Vector2(points, pointsHigh))
}

/// Requests a frame even if nothing has changed.
@_expose(wasm, "vitrine_invalidate") @_cdecl("vitrine_invalidate")
public func invalidate(number: Int32) { Page.canvas(number)?.setNeedsDisplay() }

/// Advances to a time in seconds and draws if anything has changed. Returns a bit set: 1 needs another frame, 2 the camera has moved, 4 has drawn.
@_expose(wasm, "vitrine_frame") @_cdecl("vitrine_frame")
public func frame(number: Int32, time: Double) -> Int32 {
    guard let canvas = Page.canvas(number) else { return fail("the viewer was destroyed") }
    do throws(PageError) {
        let result = try canvas.frame(at: time)
        return (result.needsAnother ? 1 : 0) | (result.hasCameraMoved ? 2 : 0) | (result.hasDrawn ? 4 : 0)
    } catch { return fail(error.text) }
}

/// Returns draw calls, triangles and bytes of GPU memory of the last frame.
@_expose(wasm, "vitrine_statistics") @_cdecl("vitrine_statistics")
public func statistics(number: Int32) {
    guard let counts = Page.canvas(number)?.counts else { return }
    for count in [counts.drawCalls, counts.triangles, counts.gpuMemory] { Page.putNumber(count) }
}

/// Renders an image. Returns the number of its texture.
@_expose(wasm, "vitrine_snapshot") @_cdecl("vitrine_snapshot")
public func snapshot(number: Int32, width: Int32, height: Int32, samples: Int32) -> Int32 {
    attempt(number) { viewer throws(PageError) in
        Int32(try viewer.snapshot(width: Int(width), height: Int(height), samples: Int(samples)))
    }
}

@_expose(wasm, "vitrine_end_snapshot") @_cdecl("vitrine_end_snapshot")
public func endSnapshot(number: Int32) { Page.viewer(number)?.endSnapshot() }
