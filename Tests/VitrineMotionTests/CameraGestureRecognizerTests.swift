import Testing
import VitrineMath
import VitrineMotion

/// Feeds a recogniser as a window would.
private struct Hand {
    var recognizer = CameraGestureRecognizer()
    var modifiers: KeyModifiers = []
    var time = 0.0

    mutating func does(_ kind: InputEvent.Kind, after seconds: Double = 0.016) -> [CameraGesture] {
        time += seconds
        return recognizer.handle(InputEvent(kind, modifiers: modifiers, time: time))
    }
}

/// The sum of all drags.
private func total(_ gestures: [CameraGesture]) -> Vector2 {
    gestures.reduce(Vector2(0, 0)) { sum, gesture in
        if case .dragged(let step) = gesture { sum + step } else { sum }
    }
}

@Suite struct PointerGestures {
    @Test(
        arguments: [
            (.left, [], .orbit), (.right, [], .pan), (.middle, [], .pan), (.left, .control, .pan), (.left, .shift, .environment),
            (.right, .shift, .environment),
        ] as [(PointerButton, KeyModifiers, OrbitController.Drag)])
    func theButtonDeterminesTheDrag(button: PointerButton, modifiers: KeyModifiers, kind: OrbitController.Drag) {
        var hand = Hand(modifiers: modifiers)
        #expect(hand.does(.pointerPressed(button, at: Vector2(100, 100), clicks: 1)) == [.dragBegan(kind)])
        #expect(hand.does(.pointerMoved(to: Vector2(110, 100))) == [.dragged(by: Vector2(10, 0))])
        #expect(hand.does(.pointerMoved(to: Vector2(130, 95))) == [.dragged(by: Vector2(20, -5))])
        #expect(hand.does(.pointerReleased(button, at: Vector2(131, 95))) == [.dragged(by: Vector2(1, 0)), .dragEnded])
    }

    @Test func otherButtonsAreIgnoredDuringADrag() {
        var hand = Hand()
        _ = hand.does(.pointerPressed(.left, at: Vector2(0, 0), clicks: 1))
        _ = hand.does(.pointerMoved(to: Vector2(10, 0)))
        #expect(hand.does(.pointerPressed(.right, at: Vector2(10, 0), clicks: 1)) == [])
        #expect(hand.does(.pointerReleased(.right, at: Vector2(10, 0))) == [])
        #expect(hand.does(.pointerMoved(to: Vector2(12, 0))) == [.dragged(by: Vector2(2, 0))])
    }

    @Test func movesWithoutAButtonAreIgnored() {
        var hand = Hand()
        #expect(hand.does(.pointerMoved(to: Vector2(10, 0))) == [])
        #expect(hand.does(.pointerPressed(.other(4), at: Vector2(0, 0), clicks: 1)) == [])
        #expect(!hand.recognizer.isActive)
    }

    @Test func clickAndDoubleClick() {
        var hand = Hand()
        let point = Vector2(40, 50)
        func click(_ hand: inout Hand, at point: Vector2, after: Double) -> CameraGesture? {
            _ = hand.does(.pointerPressed(.left, at: point, clicks: 1), after: after)
            return hand.does(.pointerReleased(.left, at: point)).last
        }
        #expect(click(&hand, at: point, after: 1) == .tapped(at: point))
        #expect(click(&hand, at: point, after: 0.1) == .doubleTapped(at: point))
        #expect(click(&hand, at: point, after: 0.1) == .tapped(at: point), "a third click starts again")
        #expect(click(&hand, at: point, after: 0.5) == .tapped(at: point), "too late")
        #expect(click(&hand, at: point + Vector2(60, 0), after: 0.1) == .tapped(at: point + Vector2(60, 0)), "elsewhere")
    }

    @Test func aClickWithinTheToleranceIsNoDrag() {
        var hand = Hand()
        _ = hand.does(.pointerPressed(.left, at: Vector2(40, 50), clicks: 1))
        #expect(hand.does(.pointerMoved(to: Vector2(42, 51))) == [])
        #expect(hand.does(.pointerReleased(.left, at: Vector2(42, 51))).last == .tapped(at: Vector2(40, 50)), "where the press started")
    }

    @Test func losingTheFocusReleasesEverything() {
        var hand = Hand()
        _ = hand.does(.pointerPressed(.left, at: Vector2(0, 0), clicks: 1))
        #expect(hand.does(.focusLost) == [.dragEnded])
        #expect(hand.does(.pointerMoved(to: Vector2(50, 0))) == [])
        #expect(hand.does(.focusLost) == [])
    }
}

@Suite struct WheelGestures {
    @Test func scrollEventsHaveNotchesAndPosition() {
        var hand = Hand()
        #expect(hand.does(.scrolled(Vector2(0, -1.5), at: Vector2(7, 8))) == [.scrolled(-1.5, at: Vector2(7, 8))])
    }

    @Test func scrollsWithoutNotchesAreIgnored() {
        var hand = Hand()
        #expect(hand.does(.scrolled(Vector2(0, .nan), at: Vector2(0, 0))) == [])
        #expect(hand.does(.scrolled(Vector2(3, 0), at: Vector2(0, 0))) == [])
    }
}

@Suite struct TouchGestures {
    @Test func oneFingerOrbits() {
        var hand = Hand()
        #expect(hand.does(.touchBegan(id: 1, at: Vector2(100, 100))) == [.dragBegan(.orbit)])
        #expect(hand.does(.touchMoved(id: 1, to: Vector2(107, 100))) == [], "a finger is thick")
        #expect(hand.does(.touchMoved(id: 1, to: Vector2(120, 100))) == [.dragged(by: Vector2(20, 0))])
        #expect(hand.does(.touchMoved(id: 1, to: Vector2(125, 103))) == [.dragged(by: Vector2(5, 3))])
        #expect(hand.does(.touchEnded(id: 1, at: Vector2(125, 103))) == [.dragEnded])
        #expect(!hand.recognizer.isActive)
    }

    @Test func twoFingersPanAndPinch() {
        var hand = Hand()
        _ = hand.does(.touchBegan(id: 1, at: Vector2(100, 100)))
        #expect(hand.does(.touchBegan(id: 2, at: Vector2(200, 100))) == [.dragEnded, .dragBegan(.pan), .pinchBegan])
        // Both move right by 20: a pan by 20, and a spread that ends as it began.
        let moves = hand.does(.touchMoved(id: 1, to: Vector2(120, 100))) + hand.does(.touchMoved(id: 2, to: Vector2(220, 100)))
        #expect(total(moves) == Vector2(20, 0))
        #expect(abs(zoom(moves) - 1) < 1e-5)
        // Apart to twice the distance, around the same middle.
        let apart = hand.does(.touchMoved(id: 1, to: Vector2(70, 100))) + hand.does(.touchMoved(id: 2, to: Vector2(270, 100)))
        #expect(abs(zoom(apart) - 2) < 1e-5)
        #expect(total(apart) == Vector2(0, 0))
    }

    @Test func liftingOneFingerReturnsToOrbitWithoutAJump() {
        var hand = Hand()
        _ = hand.does(.touchBegan(id: 1, at: Vector2(100, 100)))
        _ = hand.does(.touchBegan(id: 2, at: Vector2(200, 100)))
        #expect(hand.does(.touchEnded(id: 1, at: Vector2(100, 100))) == [.pinchEnded, .dragEnded, .dragBegan(.orbit)])
        #expect(hand.does(.touchMoved(id: 2, to: Vector2(203, 100))) == [.dragged(by: Vector2(3, 0))])
        #expect(hand.does(.touchEnded(id: 2, at: Vector2(203, 100))).contains { if case .tapped = $0 { true } else { false } } == false)
    }

    @Test func aThirdFingerIsIgnored() {
        var hand = Hand()
        _ = hand.does(.touchBegan(id: 1, at: Vector2(100, 100)))
        _ = hand.does(.touchBegan(id: 2, at: Vector2(200, 100)))
        #expect(hand.does(.touchBegan(id: 3, at: Vector2(300, 300))) == [])
        #expect(hand.does(.touchMoved(id: 3, to: Vector2(0, 0))) == [])
        #expect(hand.does(.touchEnded(id: 3, at: Vector2(0, 0))) == [])
        #expect(hand.recognizer.isActive)
    }

    @Test func aTapByFinger() {
        var hand = Hand()
        _ = hand.does(.touchBegan(id: 1, at: Vector2(100, 100)))
        _ = hand.does(.touchMoved(id: 1, to: Vector2(104, 103)))
        #expect(hand.does(.touchEnded(id: 1, at: Vector2(104, 103))).last == .tapped(at: Vector2(100, 100)))
    }

    private func zoom(_ gestures: [CameraGesture]) -> Float {
        gestures.reduce(1) { product, gesture in
            if case .pinched(let factor, _) = gesture { product * factor } else { product }
        }
    }
}

@Suite struct CameraGestureNonsense {
    @Test func positionsThatAreNotFiniteAreIgnored() {
        var hand = Hand()
        #expect(hand.does(.touchBegan(id: 1, at: Vector2(.nan, 0))) == [])
        #expect(hand.does(.touchBegan(id: 1, at: Vector2(5, 5))) == [.dragBegan(.orbit)])
        #expect(hand.does(.touchMoved(id: 1, to: Vector2(.infinity, 5))) == [])
        #expect(total(hand.does(.touchMoved(id: 1, to: Vector2(25, 5)))) == Vector2(20, 0))
        #expect(hand.does(.touchEnded(id: 1, at: Vector2(.nan, .nan))) == [.dragEnded])
    }
}

/// One tolerance for all gestures: the same slip of a pointer is a tap, or a drag, in every view.
@Suite struct GestureToleranceTests {
    /// Whether a press that slips by `distance` points is a tap (all agree), a drag (all agree), or nil where they differ.
    private func isTap(_ press: InputEvent.Kind, _ move: InputEvent.Kind, _ release: InputEvent.Kind) -> Bool? {
        let events = [press, move, release].enumerated().map { InputEvent($1, time: Double($0) * 0.1) }
        var (camera, tap, drag, pan, long) = (
            CameraGestureRecognizer(), TapGesture(), DragGesture(), DragGesture(touches: 1...5), LongPressGesture(minimumDuration: 0.15)
        )
        let gestures = events.flatMap { camera.handle($0) }
        let hasTapped = gestures.contains { if case .tapped = $0 { true } else { false } }
        let hasDragged = gestures.contains { if case .dragged = $0 { true } else { false } }
        let results = [
            hasTapped, !hasDragged, !events.flatMap { tap.handle($0) }.isEmpty, events.flatMap { drag.handle($0) }.isEmpty,
            events.flatMap { pan.handle($0) }.isEmpty, !events.flatMap { long.handle($0) }.isEmpty,
        ]
        return results.allSatisfy { $0 == results[0] } ? results[0] : nil
    }

    @Test(arguments: [0, 2, 4, 5, 8, 9, 12] as [Float]) func allGesturesAgree(distance: Float) {
        let (start, end) = (Vector2(100, 100), Vector2(100 + distance, 100))
        #expect(isTap(.touchBegan(id: 1, at: start), .touchMoved(id: 1, to: end), .touchEnded(id: 1, at: end)) == (distance <= 8))
        #expect(
            isTap(.pointerPressed(.left, at: start, clicks: 1), .pointerMoved(to: end), .pointerReleased(.left, at: end))
                == (distance <= 4))
    }
}
