"""The two small benchmarks beside the company: a web shop and a secret to be repeated."""

from collections.abc import Iterator
from typing import Final

from pydantic import Field

from proveout.apps.solver.client.calling import Caller
from proveout.apps.solver.client.paging import Listing, Pager
from proveout.apps.solver.client.patience import Patience
from proveout.apps.solver.client.route import Nothing, Paged, Request, Route
from proveout.apps.solver.client.transport import Transport
from proveout.apps.solver.entities import Done, Page, Payload


class ProductsList(Paged):
    pass


class BasketChange(Request):
    sku: str
    quantity: int = Field(ge=1)


class CouponNamed(Request):
    coupon: str


class SecretAnswer(Request):
    answer: str


class Product(Payload):
    sku: str
    name: str = ""
    available: int = 0
    price: float = 0.0


class ProductPage(Page):
    products: tuple[Product, ...] = ()


class BasketItem(Payload):
    sku: str
    quantity: int = 0
    price: float = 0.0


class Basket(Payload):
    items: tuple[BasketItem, ...] = ()
    subtotal: float = 0.0
    coupon: str = ""
    discount: float = 0.0
    total: float = 0.0


class BasketCount(Payload):
    line_count: int = 0
    item_count: int = 0


class Secret(Payload):
    value: str = ""


LIST_PRODUCTS: Final = Route("list_products", "/products/list", ProductsList, ProductPage)
VIEW_BASKET: Final = Route("view_basket", "/basket/view", Nothing, Basket)
ADD_TO_BASKET: Final = Route(
    "add_to_basket", "/basket/add", BasketChange, BasketCount, kind="write"
)
REMOVE_FROM_BASKET: Final = Route(
    "remove_from_basket", "/basket/remove", BasketChange, BasketCount, kind="write"
)
APPLY_COUPON: Final = Route("apply_coupon", "/coupon/apply", CouponNamed, Done, kind="write")
REMOVE_COUPON: Final = Route("remove_coupon", "/coupon/remove", Nothing, Done, kind="write")
CHECK_OUT: Final = Route("check_out", "/basket/checkout", Nothing, Basket, kind="write")
GET_SECRET: Final = Route("get_secret", "/secret", Nothing, Secret)
PROVIDE_ANSWER: Final = Route("provide_answer", "/answer", SecretAnswer, Done, kind="write")

STORE_ROUTES = (
    LIST_PRODUCTS,
    VIEW_BASKET,
    ADD_TO_BASKET,
    REMOVE_FROM_BASKET,
    APPLY_COUPON,
    REMOVE_COUPON,
    CHECK_OUT,
)
DEMO_ROUTES = (GET_SECRET, PROVIDE_ANSWER)
PRODUCTS = Listing(LIST_PRODUCTS, lambda page: page.products)


class StoreClient:
    """Of one task of the web shop."""

    def __init__(self, transport: Transport, *, patience: Patience | None = None) -> None:
        self._caller = Caller(transport, patience=patience)
        self._pager = Pager(self._caller)

    def all_products(self) -> Iterator[Product]:
        return self._pager.every(PRODUCTS, ProductsList())

    def view_basket(self) -> Basket:
        return self._caller.call(VIEW_BASKET, Nothing())

    def add_to_basket(self, sku: str, quantity: int) -> BasketCount:
        return self._caller.call(ADD_TO_BASKET, BasketChange(sku=sku, quantity=quantity))

    def remove_from_basket(self, sku: str, quantity: int) -> BasketCount:
        return self._caller.call(REMOVE_FROM_BASKET, BasketChange(sku=sku, quantity=quantity))

    def apply_coupon(self, coupon: str) -> None:
        self._caller.call(APPLY_COUPON, CouponNamed(coupon=coupon))

    def remove_coupon(self) -> None:
        self._caller.call(REMOVE_COUPON, Nothing())

    def check_out(self) -> Basket:
        return self._caller.call(CHECK_OUT, Nothing())


class DemoClient:
    """Of one task of the demonstration."""

    def __init__(self, transport: Transport, *, patience: Patience | None = None) -> None:
        self._caller = Caller(transport, patience=patience)

    def get_secret(self) -> str:
        return self._caller.call(GET_SECRET, Nothing()).value

    def provide_answer(self, answer: str) -> None:
        self._caller.call(PROVIDE_ANSWER, SecretAnswer(answer=answer))
